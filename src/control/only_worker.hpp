#pragma once

namespace treadle {
class runtime;
}

namespace treadle::detail {

/// Lets the current runtime have one worker for a while. What the program granted before holds again afterwards.
class only_worker {
 public:
  only_worker() = default;
  only_worker(const only_worker&) = delete;
  only_worker& operator=(const only_worker&) = delete;
  ~only_worker();

  /// False when there were other workers until now. Throws as runtime::set_concurrency() does where one is too few.
  bool want(bool wanted);

 private:
  void end();

  runtime* m_of = nullptr; // null: nothing was changed
  unsigned m_granted = 0;  // before
};

} // namespace treadle::detail
