#include "parcel/parcel_counters.hpp"

#include "observe/counter_type.hpp"
#include "observe/other_localities.hpp"
#include "parcel/calls/archive_times.hpp"
#include "parcel/calls/objects.hpp"
#include "task/counters/thread_counters.hpp"

#include <treadle/localities/action.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace treadle::detail {
namespace {

using counters::kind;

/// Of all actions, or those of a name.
struct parcel_sums {
  double parcels = 0, messages = 0, bytes = 0;
  sampled_gaps gaps;
  double parcels_received = 0, messages_received = 0, bytes_received = 0;
  double sending_ns = 0, looking_ns = 0;
  awake_time awake;
  double objects = 0;
  resolutions resolved{};
  double writing_ns = 0, reading_ns = 0; // archives
};

parcel_sums sums_of(const std::string& action) {
  const parcel_traffic now = traffic_so_far();
  parcel_sums sums;
  for (const auto& one : now.actions) {
    if (one.name.find(action) == std::string::npos) continue;
    sums.parcels += static_cast<double>(one.sent.parcels);
    sums.messages += static_cast<double>(one.sent.messages);
    sums.bytes += static_cast<double>(one.sent.bytes);
    sums.gaps.add(one.sent.gaps);
  }
  sums.parcels_received = static_cast<double>(now.parcels_received);
  sums.messages_received = static_cast<double>(now.messages_received);
  sums.bytes_received = static_cast<double>(now.bytes_received);
  sums.sending_ns = now.spent.sending_ns;
  sums.looking_ns = now.spent.looking_ns;
  sums.awake = time_awake();
  sums.objects = static_cast<double>(objects_here());
  sums.resolved = resolutions_here();
  sums.writing_ns = archive_time_ns(archive_use::written);
  sums.reading_ns = archive_time_ns(archive_use::read);
  return sums;
}

struct row {
  counters::description about;
  double (*value)(const parcel_sums& s);
  double (*base)(const parcel_sums& s) = nullptr;
  bool is_of_actions = false; ///< its parameter is a part of an action's name
};

class parcel_counter_type final : public counter_type {
 public:
  explicit parcel_counter_type(const row& of) : counter_type(of.about), m_row(of) {}

  std::vector<std::string> instances() const override { return {at_home("total")}; }
  counter_sample read(const std::string&, const std::string& parameters) const override {
    if (!m_row.is_of_actions && !parameters.empty()) throw std::runtime_error("it has no parameters");
    const parcel_sums now = sums_of(parameters);
    counter_sample found{.value = m_row.value(now), .base = m_row.base ? m_row.base(now) : 0};
    if (m_row.about.kind == kind::ratio) found.epoch = now.awake.epoch;
    if (m_row.about.kind == kind::histogram) found.ranges = {now.gaps.ranges().begin(), now.gaps.ranges().end()};
    return found;
  }

 private:
  const row m_row;
};

/// A counter as another process reads it: by the name of its type, of which both have the same.
using plain_sample = std::tuple<double, double, std::uint64_t, std::vector<double>>;
plain_sample read_here(const std::string& type, const std::string& instance, const std::string& parameters) {
  for (const auto& one : counter_types()) {
    if (one->about().name != type) continue;
    one->begin(instance, parameters);
    counter_sample now = one->read(instance, parameters);
    return {now.value, now.base, now.epoch, std::move(now.ranges)};
  }
  throw std::runtime_error("there is no counter " + type + " yet");
}

std::vector<std::string> instances_here(const std::string& type) {
  for (const auto& one : counter_types())
    if (one->about().name == type) return one->instances();
  return {};
}

class counters_of_others final : public other_localities {
  /// What F gives there.
  template <auto F, class... Args>
  static auto ask(unsigned number, const Args&... args) {
    try {
      return async<F>(locality(number), args...).get();
    } catch (const std::logic_error& e) { // the localities have just ended
      throw std::runtime_error(e.what());
    }
  }

 public:
  counter_sample read(unsigned number, const counter_type& of, const std::string& instance,
                      const std::string& parameters) const override {
    auto [value, base, epoch, ranges] = ask<read_here>(number, of.about().name, instance, parameters);
    return {.value = value, .base = base, .epoch = epoch, .ranges = std::move(ranges)};
  }
  std::vector<std::string> instances(unsigned number, const counter_type& of) const override {
    return ask<instances_here>(number, of.about().name);
  }
};
constinit const counters_of_others of_others;

const char* const k_ns = "ns";

const std::vector<row>& rows() {
  static const std::vector<row> all{
      {{"/parcels/count/sent", kind::monotonic, "",
        "Calls and results sent to other localities; of the actions with a name in it: @name."},
       [](const parcel_sums& s) { return s.parcels; },
       nullptr,
       true},
      {{"/parcels/count/received", kind::monotonic, "", "Those that came from other localities."},
       [](const parcel_sums& s) { return s.parcels_received; }},
      {{"/messages/count/sent", kind::monotonic, "",
        "Messages, of one parcel or several each; @name: that begin with such a parcel."},
       [](const parcel_sums& s) { return s.messages; },
       nullptr,
       true},
      {{"/messages/count/received", kind::monotonic, "", "Messages that came from other localities."},
       [](const parcel_sums& s) { return s.messages_received; }},
      {{"/data/count/sent", kind::monotonic, "bytes", "In parcels; @name: of these actions."},
       [](const parcel_sums& s) { return s.bytes; },
       nullptr,
       true},
      {{"/data/count/received", kind::monotonic, "bytes", "In messages."},
       [](const parcel_sums& s) { return s.bytes_received; }},
      {{"/coalescing/count/parcels", kind::monotonic, "",
        "Parcels sent of the actions with this in their name: /coalescing/count/parcels@advance; without it, of all."},
       [](const parcel_sums& s) { return s.parcels; },
       nullptr,
       true},
      {{"/coalescing/count/messages", kind::monotonic, "", "Messages that begin with one of these parcels."},
       [](const parcel_sums& s) { return s.messages; },
       nullptr,
       true},
      {{"/coalescing/count/average-parcels-per-message", kind::average, "", "The former by the latter."},
       [](const parcel_sums& s) { return s.parcels; },
       [](const parcel_sums& s) { return s.messages; },
       true},
      {{"/coalescing/time/between-parcels-average", kind::average, k_ns,
        "Between two of these parcels, of the same action and for the same locality; sampled."},
       [](const parcel_sums& s) { return s.gaps.sum_ns(); },
       [](const parcel_sums& s) { return static_cast<double>(s.gaps.count()); },
       true},
      {{"/coalescing/time/between-parcels-histogram", kind::histogram, "",
        "The same: range i holds times from 2^i ns to less than 2^(i + 1) ns."},
       [](const parcel_sums& s) { return static_cast<double>(s.gaps.count()); },
       nullptr,
       true},
      {{"/runtime/count/component", kind::gauge, "", "Objects of this locality that others may refer to."},
       [](const parcel_sums& s) { return s.objects; }},
      {{"/agas/count/cache/hits", kind::monotonic, "",
        "Calls of objects that move, by this locality, which went straight to where the object was, and came back."},
       [](const parcel_sums& s) { return static_cast<double>(s.resolved.right); }},
      {{"/agas/count/cache/misses", kind::monotonic, "", "Those that were passed on, and have brought the place back."},
       [](const parcel_sums& s) { return static_cast<double>(s.resolved.wrong); }},
      {{"/serialize/time/sent", kind::monotonic, k_ns,
        "Time in which arguments and results became parts of parcels, where they are not copied as they are; sampled."},
       [](const parcel_sums& s) { return s.writing_ns; }},
      {{"/serialize/time/received", kind::monotonic, k_ns, "The same of reading arguments from them."},
       [](const parcel_sums& s) { return s.reading_ns; }},
      {{"/threads/time/background-work-duration", kind::monotonic, k_ns,
        "Time spent on messages by all threads: sending, looking for them, executing direct actions; from samples."},
       [](const parcel_sums& s) { return s.sending_ns + s.looking_ns; }},
      {{"/threads/time/background-send-duration", kind::monotonic, k_ns,
        "Of it, sending, but not while looking for others."},
       [](const parcel_sums& s) { return s.sending_ns; }},
      {{"/threads/time/background-receive-duration", kind::monotonic, k_ns, "Of it, all else."},
       [](const parcel_sums& s) { return s.looking_ns; }},
      {{"/threads/background-overhead", kind::ratio, "%",
        "Time spent on messages, of that of all workers without sleep: the network overhead of Wagle et al. (2018)."},
       [](const parcel_sums& s) { return s.sending_ns + s.looking_ns; },
       [](const parcel_sums& s) { return s.awake.ns; }},
      {{"/threads/background-send-overhead", kind::ratio, "%",
        "The same of sending, but not while looking for others."},
       [](const parcel_sums& s) { return s.sending_ns; },
       [](const parcel_sums& s) { return s.awake.ns; }},
      {{"/threads/background-receive-overhead", kind::ratio, "%", "The same of all else."},
       [](const parcel_sums& s) { return s.looking_ns; },
       [](const parcel_sums& s) { return s.awake.ns; }},
  };
  return all;
}

} // namespace

void publish_parcel_counters() {
  the_other_localities.store(&of_others, order::release);
  static const bool once = [] {
    for (const row& of : rows()) add_counter_type(std::make_shared<parcel_counter_type>(of));
    return true;
  }();
  static_cast<void>(once);
}

} // namespace treadle::detail
