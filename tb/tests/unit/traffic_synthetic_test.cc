#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "model/base/timeline.h"
#include "model/base/errors.h"
#include "model/wire/synthetic_traffic.h"

namespace ringside {
namespace {

using Frame = std::vector<std::uint8_t>;

struct Sent {
  Time earliest;
  std::uint32_t size;
  Frame bytes;
};

std::vector<Sent> take(TrafficSource& source, std::size_t count) {
  std::vector<Sent> all;
  TrafficSource::Offer offer;
  while (all.size() < count && source.next(offer))
    all.push_back({offer.earliest, offer.size, Frame(offer.bytes.begin(), offer.bytes.end())});
  return all;
}

std::vector<Sent> take(const TrafficConfig& config, std::size_t count, std::uint64_t seed = 1) {
  Timeline timeline;
  return take(*make_traffic(config, seed, timeline), count);
}

std::uint32_t get16(const Frame& f, std::size_t at) { return static_cast<std::uint32_t>(f[at] << 8 | f[at + 1]); }

TEST(TrafficSynthetic, FrameIsValidUdp) {
  TrafficConfig config;
  config.frame_size = 256;
  const Frame f = take(config, 1)[0].bytes;
  ASSERT_EQ(f.size(), 252u);
  EXPECT_EQ(get16(f, 12), 0x0800u);
  EXPECT_EQ(f[14], 0x45);
  EXPECT_EQ(get16(f, 16), 252u - 14);
  EXPECT_EQ(f[23], 17);
  EXPECT_EQ(get16(f, 38), 252u - 34);
  EXPECT_EQ(get16(f, 40), 0u) << "no UDP checksum";
  std::uint32_t sum = 0;
  for (std::size_t i = 14; i < 34; i += 2) sum += get16(f, i);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  EXPECT_EQ(sum, 0xffffu) << "IPv4 header checksum";
}

TEST(TrafficSynthetic, FlowsTakeTurnsAndFramesAreNumbered) {
  TrafficConfig config;
  config.flows = 3;
  const auto sent = take(config, 300);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(get16(sent[i].bytes, 34), 1024 + i % 3);
    std::uint64_t sequence = 0;
    for (std::size_t b = 0; b < 8; ++b) sequence = sequence << 8 | sent[i].bytes[42 + b];
    EXPECT_EQ(sequence, i);
  }
}

TEST(TrafficSynthetic, EverySizeDownToOneByte) {
  TrafficConfig config;
  for (const std::uint64_t size : {1ULL, 4ULL, 5ULL, 40ULL, 46ULL, 53ULL, 54ULL, 63ULL, 64ULL, 1518ULL, 9622ULL}) {
    config.frame_size = size;
    const auto sent = take(config, 2);
    EXPECT_EQ(sent[1].size, size);
    EXPECT_EQ(sent[1].bytes.size(), size > 4 ? size - 4 : 0);
  }
}

TEST(TrafficSynthetic, EndsAfterTheGivenNumber) {
  TrafficConfig config;
  config.packets = 7;
  EXPECT_EQ(take(config, 100).size(), 7u);
}

TEST(TrafficSynthetic, ConstantRateDoesNotDrift) {
  TrafficConfig config;
  config.rate = PacketRate{32'270'000};  // 30988.53... ps
  const auto sent = take(config, 100'001);
  for (std::size_t k = 0; k < sent.size(); ++k) {
    const auto exact = static_cast<std::uint64_t>(static_cast<unsigned __int128>(k) * 1'000'000'000'000 / 32'270'000);
    ASSERT_EQ(sent[k].earliest.value, exact) << k;
  }
}

TEST(TrafficSynthetic, NoRateMeansAtOnce) {
  for (const Sent& sent : take(TrafficConfig{}, 10)) EXPECT_EQ(sent.earliest, Time{});
}

TEST(TrafficSynthetic, PoissonGapsAreExponential) {
  TrafficConfig config;
  config.pattern = "poisson";
  config.rate = PacketRate{10'000'000};
  constexpr std::size_t kFrames = 200'000;
  const auto sent = take(config, kFrames + 1);
  double sum = 0;
  double squares = 0;
  std::size_t longer_than_mean = 0;
  for (std::size_t i = 0; i < kFrames; ++i) {
    const double gap = to_ns(sent[i + 1].earliest - sent[i].earliest) / 100.0;  // in means
    sum += gap;
    squares += gap * gap;
    longer_than_mean += gap > 1 ? 1 : 0;
  }
  const double n = kFrames;
  const double mean = sum / n;
  EXPECT_NEAR(mean, 1.0, 3 / std::sqrt(n));
  EXPECT_NEAR(squares / n - mean * mean, 1.0, 3 * std::sqrt(8 / n));  // variance of a sample variance: 8 / n
  const double tail = std::exp(-1);
  EXPECT_NEAR(static_cast<double>(longer_than_mean) / n, tail, 3 * std::sqrt(tail * (1 - tail) / n));
}

TEST(TrafficSynthetic, BurstsStartAtTheMeanRate) {
  TrafficConfig config;
  config.pattern = "burst";
  config.burst_length = 4;
  config.rate = PacketRate{1'000'000};
  const auto sent = take(config, 12);
  for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(sent[i].earliest, microseconds(i / 4 * 4)) << i;
}

TEST(TrafficSynthetic, MixHasTheExactSharesInEveryDozen) {
  TrafficConfig config;
  config.pattern = "imix";
  const auto sent = take(config, 12'000);
  std::set<std::vector<std::uint32_t>> orders;
  for (std::size_t dozen = 0; dozen < sent.size(); dozen += 12) {
    std::map<std::uint32_t, int> count;
    std::vector<std::uint32_t> order;
    for (std::size_t i = dozen; i < dozen + 12; ++i) {
      ++count[sent[i].size];
      order.push_back(sent[i].size);
    }
    EXPECT_EQ(count, (std::map<std::uint32_t, int>{{64, 7}, {594, 4}, {1518, 1}}));
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 500u) << "shuffled";
}

TEST(TrafficSynthetic, SeedsReproduce) {
  TrafficConfig config;
  config.rate = PacketRate{10'000'000};
  for (const char* pattern : {"poisson", "imix"}) {
    config.pattern = pattern;
    const auto a = take(config, 200, 5);
    const auto b = take(config, 200, 5);
    const auto c = take(config, 200, 6);
    bool differs = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].earliest, b[i].earliest);
      EXPECT_EQ(a[i].bytes, b[i].bytes);
      differs |= a[i].earliest != c[i].earliest || a[i].size != c[i].size;
    }
    EXPECT_TRUE(differs) << pattern;
  }
}

TEST(TrafficSynthetic, PatternsThatNeedARateSaySo) {
  TrafficConfig config;
  config.pattern = "poisson";
  try {
    Timeline timeline;
    make_traffic(config, 1, timeline);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "traffic.rate = 0: traffic.pattern = \"poisson\" needs a rate above 0");
  }
}

}  // namespace
}  // namespace ringside
