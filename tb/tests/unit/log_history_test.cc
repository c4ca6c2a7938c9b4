// Lives of packets as they are put together from a log: stages that add up, what was waited for, verdicts.
#include <gmock/gmock.h>

#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "tb/log/packet_history.h"
#include "tb/log/verdict_book.h"
#include "tb/tests/unit/sample_log.h"

namespace ringside::test {
namespace {

using testing::ElementsAre;

struct Closed : PacketListener {
  void closed(const PacketLife& packet) override { lives.push_back(packet); }
  std::vector<PacketLife> lives;
};

// Times in ns.
class History : public testing::Test {
 protected:
  History() : reader_(write_sample(folder_)), history_(reader_, closed_) { history_.start({}); }

  void arrive(std::uint64_t packet, std::uint64_t begin, std::uint64_t end) {
    history_.frame({packet, nanoseconds(begin), nanoseconds(end), 64, 60, {}});
  }
  void write(std::uint64_t packet, DmaUse use, std::uint64_t offered, std::uint64_t begin, std::uint64_t arrival, std::uint64_t credits = 0) {
    LoggedTransfer t;
    t.use = use;
    t.packet = packet;
    t.transfer.offered = nanoseconds(offered);
    t.transfer.begin = nanoseconds(begin);
    t.transfer.arrival = nanoseconds(arrival);
    t.transfer.credit_wait = nanoseconds(credits);
    history_.transfer(t);
  }
  std::vector<std::uint64_t> stages(std::size_t i) const {
    std::vector<std::uint64_t> ns;
    for (const Time stage : closed_.lives.at(i).stages) ns.push_back(stage / nanoseconds(1));
    const PacketLife& life = closed_.lives[i];
    EXPECT_EQ(std::accumulate(ns.begin(), ns.end(), std::uint64_t{0}), (life.end - life.begin) / nanoseconds(1)) << "they add up";
    return ns;
  }

  TemporaryFolder folder_;
  LogReader reader_;
  Closed closed_;
  PacketHistory history_;
};

TEST_F(History, EveryStageOfADeliveredPacket) {
  arrive(0, 100, 105);
  history_.buffered(nanoseconds(105), 0, 0);
  history_.waits(nanoseconds(120), 0, Resource::descriptor);
  history_.waits(nanoseconds(130), 0, Resource::descriptor);
  history_.moves(nanoseconds(150), 0);
  write(0, DmaUse::payload, 150, 160, 400, 4);
  write(0, DmaUse::completion, 160, 165, 420);
  history_.completed(0, nanoseconds(420));
  history_.read(nanoseconds(1000), 0);
  EXPECT_THAT(stages(0), ElementsAre(5, 15, 30, 250, 20, 580));
  EXPECT_EQ(closed_.lives[0].fate, Fate::delivered);
  EXPECT_EQ(closed_.lives[0].waited_for, Resource::driver);
}

TEST_F(History, BehindOthersAPacketWaitsForWhatTheyWaitFor) {
  arrive(0, 0, 5);
  history_.buffered(nanoseconds(5), 0, 0);
  history_.waits(nanoseconds(5), 0, Resource::descriptor);
  arrive(1, 10, 15);
  history_.buffered(nanoseconds(15), 1, 0);
  history_.moves(nanoseconds(500), 0);
  history_.occupied(nanoseconds(500), 0, nanoseconds(520), Resource::fabric);
  history_.moves(nanoseconds(520), 1);
  write(1, DmaUse::payload, 520, 520, 700);
  history_.completed(1, nanoseconds(710));
  history_.read(nanoseconds(711), 1);
  EXPECT_THAT(stages(0), ElementsAre(5, 505, 0, 180, 10, 1));
  EXPECT_EQ(closed_.lives[0].waited_for, Resource::descriptor) << "485 ns of 505; 20 for the fabric, 1 for the driver";
}

TEST_F(History, CreditsAndTheFabricAreToldApart) {
  for (const std::uint64_t packet : {0, 1}) {
    arrive(packet, packet * 10, packet * 10 + 5);
    history_.moves(nanoseconds(20), packet);
    write(packet, DmaUse::payload, 20, 100, 300, packet == 0 ? 70 : 10);
    history_.completed(packet, nanoseconds(310));
    history_.read(nanoseconds(311), packet);
  }
  EXPECT_EQ(closed_.lives[0].waited_for, Resource::credits);
  EXPECT_EQ(closed_.lives[1].waited_for, Resource::fabric);
}

TEST_F(History, ADroppedPacketEndsWhereItIs) {
  arrive(0, 0, 5);
  history_.waits(nanoseconds(5), 0, Resource::buffer_room);
  history_.dropped(nanoseconds(5), 0, 3);
  arrive(1, 10, 15);
  history_.buffered(nanoseconds(15), 1, 0);
  history_.waits(nanoseconds(15), 1, Resource::descriptor);
  arrive(2, 20, 25);
  history_.buffered(nanoseconds(25), 2, 0);
  history_.dropped(nanoseconds(90), 1, 3);
  history_.dropped(nanoseconds(90), 2, 3);
  EXPECT_THAT(stages(0), ElementsAre(5, 0, 0, 0, 0, 0));
  EXPECT_THAT(stages(1), ElementsAre(5, 0, 75, 0, 0, 0));
  EXPECT_THAT(stages(2), ElementsAre(5, 65, 0, 0, 0, 0));
  EXPECT_EQ(closed_.lives[0].waited_for, Resource::buffer_room);
  EXPECT_EQ(closed_.lives[1].waited_for, Resource::descriptor);
  EXPECT_EQ(closed_.lives[2].waited_for, Resource::descriptor) << "as the one before it";
  EXPECT_EQ(closed_.lives[0].cause, 3U);
}

// A core that forwards frames before they are complete says what it does with one before its last bit.
TEST_F(History, WhatHappensBeforeTheLastBitIsTimeOnTheWire) {
  history_.buffered(nanoseconds(40), 0, 1);
  history_.moves(nanoseconds(50), 0);
  write(0, DmaUse::payload, 50, 50, 90);
  arrive(0, 0, 100);
  write(0, DmaUse::payload, 110, 110, 150);
  history_.completed(0, nanoseconds(160));
  history_.read(nanoseconds(200), 0);
  EXPECT_THAT(stages(0), ElementsAre(100, 0, 0, 50, 10, 40));
}

TEST_F(History, WhatIsLeftIsInFlight) {
  arrive(0, 0, 5);
  history_.moves(nanoseconds(10), 0);
  write(0, DmaUse::payload, 10, 10, 500);
  history_.completed(0, nanoseconds(510));
  arrive(1, 10, 15);
  history_.finish(nanoseconds(100));
  EXPECT_THAT(stages(0), ElementsAre(5, 5, 0, 90, 0, 0));
  EXPECT_THAT(stages(1), ElementsAre(5, 85, 0, 0, 0, 0));
  EXPECT_EQ(closed_.lives[1].fate, Fate::in_flight);
}

TEST_F(History, PacketsOfBeforeTheFirstRecordArePassedOver) {
  PacketHistory later(reader_, closed_);
  BlockStart start;
  start.frames = 100;
  later.start(start);
  later.read(nanoseconds(1), 99);
  later.moves(nanoseconds(1), 3);
  EXPECT_TRUE(closed_.lives.empty());
}

struct Verdicts : VerdictListener {
  void decided(std::uint64_t packet, std::optional<std::uint64_t> verdict) override { all[packet] = verdict; }
  std::map<std::uint64_t, std::optional<std::uint64_t>> all;
};

TEST(Verdict, OnePacketAtATimeIsTheOneThatEnded) {
  Verdicts seen;
  VerdictBook book(seen);
  book.start({});
  for (const std::uint64_t packet : {0, 1, 2}) {
    book.delivered(packet);
    book.ended(packet == 1 ? 9 : 8, 1);
  }
  EXPECT_EQ(seen.all, (decltype(seen.all){{0, 8}, {1, 9}, {2, 8}}));
}

TEST(Verdict, APollThatEndsAllInOneWayIsClear) {
  Verdicts seen;
  VerdictBook book(seen);
  book.start({});
  for (std::uint64_t packet = 0; packet < 5; ++packet) book.delivered(packet);
  book.ended(7, 3);
  EXPECT_TRUE(seen.all.empty());
  book.ended(7, 2);
  EXPECT_EQ(seen.all.size(), 5U);
  EXPECT_EQ(seen.all[4], 7U);
}

TEST(Verdict, WhatCannotBeToldApartIsNotSaid) {
  Verdicts seen;
  VerdictBook book(seen);
  book.start({});
  book.delivered(0);
  book.delivered(1);
  book.ended(7, 1);
  book.ended(8, 1);
  EXPECT_EQ(seen.all, (decltype(seen.all){{0, std::nullopt}, {1, std::nullopt}}));
  book.delivered(2);
  book.ended(8, 1);
  EXPECT_EQ(seen.all[2], 8U) << "and afterwards all is clear again";
  book.delivered(3);
  book.give_up();
  EXPECT_EQ(seen.all[3], std::nullopt);
}

TEST(Verdict, AWindowBeginsWithPacketsThatItDoesNotKnow) {
  Verdicts seen;
  VerdictBook book(seen);
  BlockStart start;
  start.delivered = 10;
  start.ended = 8;
  book.start(start);
  book.delivered(10);
  book.ended(7, 3);
  EXPECT_EQ(seen.all[10], std::nullopt);
}

}  // namespace
}  // namespace ringside::test
