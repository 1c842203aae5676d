#include "parcel/calls/objects.hpp"

#include "base/fork.hpp"
#include "observe/emit.hpp"
#include "parcel/calls/actions.hpp"

#include <treadle/detail/reference_count.hpp>
#include <treadle/detail/spinlock.hpp>
#include <treadle/localities/migratable.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <unordered_map>

namespace treadle::detail {

static constinit atomic<std::uint32_t> programs_begun{0}; ///< and ended: objects of localities

/// What this process has of one object: references, and credit. With the lock of all proxies, but the references.
class object_proxy {
 public:
  object_proxy(object_id of, std::uint64_t given) noexcept : id(of), credit(given) {}
  const object_id id;
  const std::uint32_t program = programs_begun.load(order::relaxed), forks = fork_generation();
  std::uint64_t credit;
  bool asks = false; ///< for more credit
  atomic<std::uint64_t> references{1};

  /// Otherwise the localities to which it belongs have ended, or are the parent's, and the object with them.
  bool is_current() const noexcept {
    return program == programs_begun.load(order::relaxed) && forks == fork_generation();
  }

  /// False: the last one has just gone.
  bool try_add() noexcept {
    for (std::uint64_t n = references.load(order::relaxed); n != 0;)
      if (references.compare_exchange(n, n + 1, order::relaxed, order::relaxed)) return true;
    return false;
  }
};

namespace {

constexpr std::uint64_t k_all_credit = std::uint64_t{1} << 62U;
constexpr std::uint64_t k_more_credit = std::uint64_t{1} << 40U, k_little_credit = std::uint64_t{1} << 20U;
constexpr unsigned k_share = 16; // a reference that is sent gets 1 / 2^16 of the sender's credit

struct kept_object {
  std::shared_ptr<void> object;
  const std::type_info* type;
  awaited_object* awaited;
  std::uint64_t credit; ///< that others have
};
struct named_object {
  std::string type;
  object_ref object;
};

// Never destroyed: a program may exit() while messages arrive.
spinlock objects_lock, proxies_lock;
std::mutex& names_lock = *new std::mutex;
auto& objects = *new std::unordered_map<std::uint64_t, kept_object>;
auto& proxies = *new std::map<std::pair<std::uint32_t, std::uint64_t>, object_proxy*>;
auto& names = *new std::map<std::string, named_object>;
std::uint64_t last_number = 0;
std::exception_ptr& why_no_more = *new std::exception_ptr; // comes from others; with the lock of the objects

/// At its home.
void add_credit(std::uint64_t number, std::uint64_t more) {
  const scoped_lock guard(objects_lock);
  if (const auto at = objects.find(number); at != objects.end()) at->second.credit += more;
}
void return_credit(std::uint64_t number, std::uint64_t credit) {
  std::shared_ptr<void> ends;
  {
    const scoped_lock guard(objects_lock);
    const auto at = objects.find(number);
    if (at == objects.end()) return; // the localities have ended meanwhile
    at->second.credit -= credit;
    if (at->second.credit != 0) return;
    ends = std::move(at->second.object);
    objects.erase(at);
  }
  static_cast<void>(async([ends = std::move(ends)] {})); // its destructor may wait, and this may be a handler
}

/// The credit of `of` grows by an answer of the object's home, which may take its time.
future<void> ask_for_credit(const object_ref& of, object_proxy& proxy) {
  return async<direct<add_credit>>(locality(proxy.id.home), proxy.id.number, k_more_credit)
      .then(launch::sync, [keeps = of, &proxy](future<void> done) {
        const scoped_lock guard(proxies_lock);
        proxy.asks = false;
        done.get();
        proxy.credit += k_more_credit;
      });
}
/// Long before there is none left.
void look_after_credit(const object_ref& of, object_proxy& proxy) {
  {
    const scoped_lock guard(proxies_lock);
    if (proxy.credit >= k_little_credit || std::exchange(proxy.asks, true)) return;
  }
  static_cast<void>(ask_for_credit(of, proxy));
}

/// What goes with a reference that is sent.
std::uint64_t split(const object_ref& of, object_proxy& from) {
  for (;;) {
    std::uint64_t given = 0;
    {
      const scoped_lock guard(proxies_lock);
      if (from.credit > 1) given = std::max<std::uint64_t>(from.credit >> k_share, 1);
      from.credit -= given;
    }
    if (given != 0) {
      look_after_credit(of, from);
      return given;
    }
    if (callback_scope::is_inside())
      throw std::runtime_error("a reference cannot be sent on by a handler before its object's locality has answered");
    ask_for_credit(of, from).get();
  }
}

object_proxy* receive(object_id id, std::uint64_t credit) {
  auto made = std::make_unique<object_proxy>(id, credit);
  const scoped_lock guard(proxies_lock);
  object_proxy*& known = proxies[{id.home, id.number}];
  if (known && known->try_add()) {
    known->credit += credit;
    return known;
  }
  return known = made.release(); // one whose last reference has just gone finds another one in its place
}

} // namespace

object_ref::object_ref(std::shared_ptr<void> object, const std::type_info& type, awaited_object* awaited) {
  if (!object) return;
  std::uint64_t number = 0;
  std::exception_ptr why;
  {
    const scoped_lock guard(objects_lock);
    number = ++last_number;
    objects.emplace(number, kept_object{object, &type, awaited, k_all_credit});
    why = why_no_more;
  }
  if (awaited && why) awaited->give_up(why);
  m_proxy = receive({find_here().number(), number}, k_all_credit);
}

object_ref::object_ref(const object_ref& other) noexcept : m_proxy(other.m_proxy) {
  if (m_proxy) m_proxy->references.fetch_add(1, order::relaxed);
}

object_ref::~object_ref() {
  if (!m_proxy || m_proxy->references.fetch_sub(1, order::acq_rel) != 1) return;
  if (m_proxy->forks != fork_generation()) return; // whose locks may be held by nobody here
  const std::unique_ptr<object_proxy> last(m_proxy);
  {
    const scoped_lock guard(proxies_lock);
    const auto at = proxies.find({last->id.home, last->id.number});
    if (at != proxies.end() && at->second == m_proxy) proxies.erase(at);
  }
  if (!last->is_current()) return;
  const callback_scope must_not_wait; // a destructor
  try {
    post<direct<return_credit>>(locality(last->id.home), last->id.number, last->credit);
  } catch (...) { // the connection has failed
  }
}

object_id object_ref::id() const noexcept { return m_proxy && m_proxy->is_current() ? m_proxy->id : object_id(); }

void object_ref::save(output_archive& archive) const {
  const object_id of = id();
  archive(of.home, of.number, of.number != 0 ? split(*this, *m_proxy) : std::uint64_t{0});
}

void object_ref::load(input_archive& archive) {
  object_id of;
  std::uint64_t credit = 0;
  archive(of.home, of.number, credit);
  object_ref found;
  if (of.number != 0) {
    found.m_proxy = receive(of, credit);
    look_after_credit(found, *found.m_proxy);
  }
  *this = std::move(found);
}

std::shared_ptr<void> find_object(std::uint64_t number, const std::type_info& type) {
  const scoped_lock guard(objects_lock);
  const auto at = objects.find(number);
  if (at == objects.end()) throw std::runtime_error("there is no such object any more");
  if (*at->second.type != type)
    throw std::runtime_error("an object of type " + readable(at->second.type->name()) + ", not " +
                             readable(type.name()));
  return at->second.object;
}

object_ref find_named(const std::string& name, const std::string& type) {
  const std::lock_guard guard(names_lock);
  const auto at = names.find(name);
  if (at == names.end()) return {};
  if (at->second.type != type)
    throw std::runtime_error("the object '" + name + "' has the type " + readable(at->second.type.c_str()) + ", not " +
                             readable(type.c_str()));
  return at->second.object;
}
bool give_name(const std::string& name, const std::string& type, const object_ref& to) {
  const std::lock_guard guard(names_lock);
  return names.try_emplace(name, named_object{type, to}).second;
}
bool drop_name(const std::string& name) {
  named_object ends; // without the lock
  const std::lock_guard guard(names_lock);
  const auto at = names.find(name);
  if (at == names.end()) return false;
  ends = std::move(at->second);
  names.erase(at);
  return true;
}

void begin_objects() {
  if (objects_here() != 0)
    throw std::logic_error("localities: there are objects already, which were made before there were localities");
  const scoped_lock guard(objects_lock);
  why_no_more = nullptr;
}

void give_up_objects(const std::exception_ptr& why) noexcept {
  std::vector<std::pair<std::shared_ptr<void>, awaited_object*>> all;
  {
    const scoped_lock guard(objects_lock);
    why_no_more = why;
    for (const auto& [number, one] : objects)
      if (one.awaited) all.emplace_back(one.object, one.awaited);
  }
  for (const auto& [object, awaited] : all) awaited->give_up(why);
}

void end_objects() noexcept {
  programs_begun.fetch_add(1, order::relaxed);
  std::unordered_map<std::uint64_t, kept_object> last;
  do { // one that ends may have made others
    last.clear();
    {
      const scoped_lock guard(objects_lock);
      last.swap(objects); // first: references that end find nothing then
    }
    std::map<std::string, named_object> last_names;
    const std::lock_guard guard(names_lock);
    last_names.swap(names);
  } while (!last.empty());
}

namespace {
constinit atomic<std::uint64_t> resolved_right{0}, resolved_wrong{0};
} // namespace
void count_resolution(bool was_right) noexcept {
  (was_right ? resolved_right : resolved_wrong).fetch_add(1, order::relaxed);
}
resolutions resolutions_here() noexcept {
  return {resolved_right.load(order::relaxed), resolved_wrong.load(order::relaxed)};
}

std::size_t objects_here() noexcept {
  const scoped_lock guard(objects_lock);
  return objects.size();
}

} // namespace treadle::detail
