#pragma once

namespace treadle {
class runtime;
}

namespace treadle::detail {

/// Lets the current runtime have one worker for a while. What the program granted before holds again afterwards. There
/// is one of them at a time.
class only_worker {
 public:
  only_worker(); ///< Throws std::runtime_error when there is one.
  only_worker(const only_worker&) = delete;
  only_worker& operator=(const only_worker&) = delete;
  ~only_worker();

  /// False when there were other workers until now. Throws std::invalid_argument where one is too few for the pools.
  bool want(bool wanted);

 private:
  void end();

  runtime* m_of = nullptr; // null: nothing was changed
  unsigned m_granted = 0;  // before
};

} // namespace treadle::detail
