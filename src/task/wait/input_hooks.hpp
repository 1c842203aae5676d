#pragma once

#include <treadle/detail/continuation.hpp>
#include <treadle/detail/reference_count.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace treadle::detail {

/// The hooks of somebody who waits for several states at once, one in the list of each. They are taken back as soon as
/// the outcome is decided, so that the list of a state that is waited for again and again, and becomes ready late or
/// never, does not grow.
///
/// Every hook that is in a list owns a share of the `Owner`: a completing thread that has taken its list may fire late.
/// The inputs must stay until the outcome is decided and the hooks withdrawn. `State` is future_state, or whatever can
/// be attached to: tests/model/when_model.cpp.
///
/// Owner::input_fired(index) is called for each input that is ready, on the thread that completed it.
template <class State, class Owner>
class input_hooks {
 public:
  input_hooks(const input_hooks&) = delete;
  input_hooks& operator=(const input_hooks&) = delete;

 protected:
  explicit input_hooks(std::vector<State*> inputs) // fewer than 2^32: they are counted in as many bits
      : m_inputs(std::move(inputs)), m_hooks(std::make_unique<hook[]>(m_inputs.size())) {}
  ~input_hooks() = default;

  std::size_t count() const noexcept { return m_inputs.size(); }

  /// The Owner goes with its last share; the maker has the first one.
  void release() noexcept {
    if (m_shares.drop()) delete &self();
  }
  /// Once, by the side that waits.
  void attach_hooks() noexcept {
    m_shares.add(static_cast<std::uint32_t>(count()));
    std::size_t attached = 0;
    for (; attached < count() && !is_decided(); ++attached) {
      m_hooks[attached].owner = &self();
      m_inputs[attached]->attach(m_hooks[attached]);
    }
    for (std::size_t i = attached; i < count(); ++i) release();
    // Who decides meanwhile does not find what is attached afterwards. Either its withdraw() of an input came before
    // our attach(), which acquires from it: then we see the decision; or it came later, and has found the hook.
    if (is_decided()) withdraw_hooks();
  }
  /// True for one caller, who then has to call withdraw_hooks() while the inputs are there.
  bool decide() noexcept { return m_decided.exchange(1, order::relaxed) == 0; }
  bool is_decided() const noexcept { return m_decided.load(order::relaxed) != 0; }
  /// Takes back every hook that is in a list.
  void withdraw_hooks() noexcept {
    for (std::size_t i = 0; i < count(); ++i) {
      if (m_inputs[i] && m_inputs[i]->withdraw(m_hooks[i])) release();
    }
  }
  /// By the one side that also withdraws: this input has fired, and may go.
  void forget(std::size_t index) noexcept { m_inputs[index] = nullptr; }

 private:
  struct hook final : continuation {
    void fire() noexcept override {
      Owner& waiting = *owner;
      auto& all = static_cast<input_hooks&>(waiting);
      waiting.input_fired(static_cast<std::size_t>(this - all.m_hooks.get()));
      all.release(); // this may go with it
    }
    Owner* owner = nullptr;
  };

  Owner& self() noexcept { return static_cast<Owner&>(*this); }

  reference_count m_shares;
  std::vector<State*> m_inputs;
  const std::unique_ptr<hook[]> m_hooks;
  atomic<std::uint32_t> m_decided{0};
};

} // namespace treadle::detail
