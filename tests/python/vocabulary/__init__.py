"""What every function of the vocabulary means, in NumPy, SciPy and Python, with generators of arguments for it."""

from . import arrays, elementwise, making, matrices, reductions, sequences  # noqa: F401 - they fill the table
from .draw import CASES, Case, Draw

__all__ = ["CASES", "FORMS", "WITHOUT_TWIN", "Case", "Draw"]

# What has no twin in NumPy, SciPy or Python: tested in C++ beside the sources.
WITHOUT_TWIN = set(
    "__name annotate annotate_d assert cout debug file_read_csv file_write_csv find_all_localities find_here hostname"
    " conv1d num_localities __type get_seed set_seed random random_integers random_sample randn shuffle __index fromfunction"
    # Arrays over localities: tests/localities/arrays.cpp and test_distributed.py.
    " all_gather_d all_reduce_d amax_d amin_d argmax_d argmin_d cannon_product_d constant_d conv1d_d diag_d dot_d"
    " file_read_csv_d identity_d inverse_d random_d retile_d shape_d slice_column_d slice_row_d transpose_d"
    # What compiled Python means by its own functions and statements: semantics_cases.py, test_aliasing.py,
    # test_errors.py.
    " __abs __all __any __expect_items __given __iadd __is_none __item __max __min __no_dict __print __ravel __read_only __reshape __sorted __squeeze __sum_start __to_bool __to_float"
    " __to_int __tuple __viewed __with_axes".split()
)
FORMS = set(
    "__and __arg __or apply async block break continue define define_global enable_tracing filter fmap fold_left fold_right"
    " for for_each for_in if lambda parallel_block parallel_map return store timer while __append __change __update".split()
)
