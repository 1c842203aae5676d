#include "parcel/parcel_counters.hpp"

#include "observe/counter_type.hpp"

#include <treadle/localities/locality.hpp>

#include <memory>
#include <string>

namespace treadle::detail {
namespace {

struct row {
  counters::description about;
  std::uint64_t parcel_traffic::* value;
  std::uint64_t parcel_traffic::* per = nullptr;
};

class parcel_counter_type final : public counter_type {
 public:
  explicit parcel_counter_type(const row& of) : counter_type(of.about), m_value(of.value), m_per(of.per) {}

  std::vector<std::string> instances() const override {
    return {"locality#" + std::to_string(find_here().number()) + "/total"};
  }
  counter_sample read(const std::string&, const std::string&) const override {
    const parcel_traffic now = traffic_so_far();
    return {.value = static_cast<double>(now.*m_value), .base = m_per ? static_cast<double>(now.*m_per) : 0};
  }

 private:
  std::uint64_t parcel_traffic::*m_value, parcel_traffic::*m_per;
};

} // namespace

void publish_parcel_counters() {
  using counters::kind;
  static const bool once = [] {
    for (const row& of : {
             row{{"/parcels/count/sent", kind::monotonic, "", "Calls and results sent to other localities."},
                 &parcel_traffic::parcels_sent},
             {{"/parcels/count/received", kind::monotonic, "", "Those that came from other localities."},
              &parcel_traffic::parcels_received},
             {{"/messages/count/sent", kind::monotonic, "", "Messages, of one parcel or several each."},
              &parcel_traffic::messages_sent},
             {{"/messages/count/received", kind::monotonic, "", "Messages that came from other localities."},
              &parcel_traffic::messages_received},
             {{"/data/count/sent", kind::monotonic, "bytes", "In messages."}, &parcel_traffic::bytes_sent},
             {{"/data/count/received", kind::monotonic, "bytes", "In messages."}, &parcel_traffic::bytes_received},
             {{"/coalescing/count/average-parcels-per-message", kind::average, "", "Of those sent."},
              &parcel_traffic::parcels_sent,
              &parcel_traffic::messages_sent},
         })
      add_counter_type(std::make_shared<parcel_counter_type>(of));
    return true;
  }();
  static_cast<void>(once);
}

} // namespace treadle::detail
