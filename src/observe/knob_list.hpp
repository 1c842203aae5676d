// The knobs of the process, as people see them: those of the runtime, and those of the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace treadle::detail {

/// A value that may be changed while the program runs. Any thread.
class listed_knob {
 public:
  virtual std::string_view knob_name() const noexcept = 0;
  virtual std::string knob_value() const = 0;
  virtual double knob_number() const noexcept; ///< in traces: the value where it is a number, else 0
  virtual std::string knob_values() const = 0; ///< "1 to 64, 7 of them"
  virtual std::string_view knob_meaning() const noexcept = 0;
  /// Throws std::invalid_argument when it cannot have this value.
  virtual void set_from_text(std::string_view text) = 0;

 protected:
  ~listed_knob() = default;
};

/// While it lives, the knob is in the list. Where the user has given a value, by --treadle:knob or TREADLE_KNOB, the
/// knob gets it now, or std::invalid_argument says why it cannot.
class knob_listing {
 public:
  explicit knob_listing(listed_knob& of);
  ~knob_listing();
  knob_listing(const knob_listing&) = delete;
  knob_listing& operator=(const knob_listing&) = delete;

  bool is_given() const noexcept { return m_is_given; } ///< by the user, who wants it to stay

 private:
  listed_knob& m_of;
  bool m_is_given = false;
};

/// The user's choice for a knob that will be there. `source` is the option or variable.
void give_knob(std::string source, std::string name, std::string value);

/// "NAME = VALUE  (VALUES)", sorted, and what each means; then unknown_knobs().
std::string knob_table();
/// A line for each name that the user has given a value, and that no knob has had so far.
std::string unknown_knobs();

/// A trace gets the value of a knob.
void trace_knob(std::string_view name, double value) noexcept;
void trace_knob(const listed_knob& one) noexcept;
void trace_knobs(); ///< of all of them, as they are where a trace begins

void visit_knobs(void (*visit)(void* context, listed_knob& knob), void* context);
/// Calls visit(knob) for each, while none of them can go away.
template <class F>
void for_each_knob(F visit) {
  visit_knobs([](void* f, listed_knob& knob) { (*static_cast<F*>(f))(knob); }, &visit);
}

} // namespace treadle::detail
