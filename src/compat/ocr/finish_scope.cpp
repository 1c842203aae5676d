#include "compat/ocr/finish_scope.hpp"

#include "compat/ocr/delivery.hpp"

#include <treadle/detail/slab.hpp>

#include <new>
#include <utility>

namespace treadle::ocr {

finish_scope* make_scope(finish_scope* outer, std::uint64_t output) {
  return ::new (detail::slab_allocate(sizeof(finish_scope))) finish_scope(outer, output);
}

void leave(finish_scope* scope, bool tells) {
  while (scope && scope->leave()) {
    if (tells && scope->output != 0) deliver({{scope->output, 0, DB_DEFAULT_MODE}, nullptr, scope->result});
    detail::slab_free(std::exchange(scope, scope->outer), sizeof(finish_scope));
  }
}

} // namespace treadle::ocr
