#include "compat/ocr/finish_scope.hpp"

#include "compat/ocr/delivery.hpp"

#include <treadle/detail/slab.hpp>

#include <new>

namespace treadle::ocr {

finish_scope* make_scope(finish_scope* outer, std::uint64_t output) {
  return ::new (detail::slab_allocate(sizeof(finish_scope))) finish_scope(outer, output);
}

void leave(finish_scope* scope, bool tells) {
  leave_scopes(scope, [tells](finish_scope& ended) {
    if (tells && ended.output != 0) deliver({{ended.output, 0, DB_DEFAULT_MODE}, nullptr, ended.result});
    detail::slab_free(&ended, sizeof ended);
  });
}

} // namespace treadle::ocr
