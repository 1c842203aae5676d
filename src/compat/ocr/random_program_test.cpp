// Random programs: a graph of EDTs, each of which computes a number from those of earlier ones, passed on in all ways
// that there are. The same graph is evaluated in a loop, and the numbers have to be equal.

#include "compat/ocr/ocr_fixture.hpp"

#include <treadle/this_task.hpp>

#include <functional>
#include <random>

namespace treadle::ocr::testing {

namespace {

constexpr u64 k_factor = 0x9E3779B97F4A7C15U;

u64 mixed(u64 sum, u64 value) { return (sum ^ value) * k_factor + (sum >> 7U); }

enum class way { once, sticky, idem, counted, channel, two_events, output };

struct edge {
  std::size_t from;
  way by;
  ocrDbAccessMode_t mode;
};
struct node {
  std::vector<edge> inputs;
  bool has_control = false; // besides, a slot without a block
  bool is_finish = false;   // makes others
};
struct graph {
  std::vector<node> nodes;
};

graph make_graph(std::mt19937_64& random) {
  graph made;
  const std::size_t count = 2 + random() % 120;
  for (std::size_t i = 0; i < count; ++i) {
    node one;
    const std::size_t inputs = i == 0 ? 0 : random() % 5;
    for (std::size_t k = 0; k < inputs; ++k) {
      constexpr ocrDbAccessMode_t modes[] = {DB_MODE_RO, DB_MODE_CONST, DB_MODE_RW, DB_MODE_EW};
      const edge candidate{random() % i, static_cast<way>(random() % 7), modes[random() % 4]};
      const auto is_same = [&](const edge& e) { return e.from == candidate.from; };
      if (std::none_of(one.inputs.begin(), one.inputs.end(), is_same)) one.inputs.push_back(candidate);
    }
    one.has_control = random() % 3 == 0;
    one.is_finish = random() % 4 == 0;
    made.nodes.push_back(one);
  }
  return made;
}

std::vector<u64> evaluate(const graph& of) {
  std::vector<u64> values;
  for (std::size_t i = 0; i < of.nodes.size(); ++i) {
    u64 value = i;
    for (const edge& e : of.nodes[i].inputs) value = mixed(value, values[e.from]);
    values.push_back(value);
  }
  return values;
}

/// Where the result of a node goes when it is there.
struct wiring {
  std::vector<ocrGuid_t> satisfied; // by the EDT itself
};

std::vector<u64> execute(const graph& of, unsigned workers, std::mt19937_64& random) {
  const std::size_t count = of.nodes.size();
  std::vector<u64> values(count);
  std::vector<wiring> wires(count);
  std::atomic<std::size_t> ended = 0;
  const outcome result = run_program(workers, [&](ocrEdtDep_t*) {
    std::vector<ocrGuid_t> edts(count), outputs(count, NULL_GUID);
    for (std::size_t i = 0; i < count; ++i) {
      const node& one = of.nodes[i];
      edts[i] = spawn(
          [&, i](u32, ocrEdtDep_t* depv) {
            u64 value = i;
            for (std::size_t k = 0; k < of.nodes[i].inputs.size(); ++k) {
              value = mixed(value, value_of(depv[k]));
              if (k % 2 == 0) {
                EXPECT_EQ(ocrDbRelease(depv[k].guid), 0);
              }
            }
            values[i] = value;
            const ocrGuid_t db = make_block_of(value);
            for (const ocrGuid_t event : wires[i].satisfied) EXPECT_EQ(ocrEventSatisfy(event, db), 0);
            if (of.nodes[i].is_finish) {
              for (int k = 0; k < 2; ++k) spawn([](u32, ocrEdtDep_t*) {});
            }
            if (++ended == count) ocrShutdown();
            return db;
          },
          {.depc = static_cast<u32>(one.inputs.size() + (one.has_control ? 1 : 0) + 1), .output = &outputs[i]});
    }
    std::vector<std::function<void()>> links;
    for (std::size_t i = 0; i < count; ++i) {
      u32 slot = 0;
      for (const edge& e : of.nodes[i].inputs) {
        const u32 at = slot++;
        const auto link = [&, at, i, mode = e.mode](ocrGuid_t event) {
          EXPECT_EQ(ocrAddDependence(event, edts[i], at, mode), 0);
        };
        ocrGuid_t event = NULL_GUID;
        switch (e.by) {
        case way::output:
          link(outputs[e.from]);
          continue;
        case way::once:
          event = make(OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
          break;
        case way::sticky:
          event = make(OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
          break;
        case way::idem:
          event = make(OCR_EVENT_IDEM_T, EVT_PROP_TAKES_ARG);
          break;
        case way::counted:
          event = make(OCR_EVENT_COUNTED_T, {.EVENT_COUNTED = {1}});
          break;
        case way::channel:
          event = make(OCR_EVENT_CHANNEL_T, {.EVENT_CHANNEL = {1, 1, 1}});
          break;
        default: {
          event = make(OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
          const ocrGuid_t second = make(OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
          EXPECT_EQ(ocrAddDependence(event, second, 0, e.mode), 0);
          link(second);
          wires[e.from].satisfied.push_back(event);
          continue;
        }
        }
        wires[e.from].satisfied.push_back(event);
        if (e.by == way::once)
          link(event);
        else // these may be satisfied before
          links.push_back([link, event] { spawn([link, event](u32, ocrEdtDep_t*) { link(event); }); });
      }
      if (of.nodes[i].has_control) {
        EXPECT_EQ(ocrAddDependence(NULL_GUID, edts[i], slot, DB_MODE_NULL), 0);
      }
    }
    // The last slot of each keeps it from running before all is wired.
    for (std::size_t i = 0; i < count; ++i) {
      const u32 last = static_cast<u32>(of.nodes[i].inputs.size() + (of.nodes[i].has_control ? 1 : 0));
      links.push_back([&, i, last] { EXPECT_EQ(ocrAddDependence(NULL_GUID, edts[i], last, DB_MODE_NULL), 0); });
    }
    std::shuffle(links.begin(), links.end(), random);
    // An EDT of its own keeps what the lambdas refer to: this one, which ends last.
    for (const auto& link : links) link();
    while (ended.load() != count) this_task::yield();
  });
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.reports.empty()) << ::testing::PrintToString(result.reports);
  return values;
}

} // namespace

TEST(ocr_random_programs, compute_what_a_loop_computes) {
  for (u64 seed = 1; seed <= 40; ++seed) {
    for (const unsigned workers : {1U, 2U, 4U, 8U}) {
      std::mt19937_64 random(seed);
      const graph program = make_graph(random);
      EXPECT_EQ(execute(program, workers, random), evaluate(program)) << "seed " << seed << ", workers " << workers;
    }
  }
}

} // namespace treadle::ocr::testing
