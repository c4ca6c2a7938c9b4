#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "model/base/errors.h"
#include "tb/report/atomic_file.h"
#include "tb/report/rounding.h"
#include "tb/tests/temporary_folder.h"

namespace ringside {
namespace {

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(AtomicFile, ReplacesTheWholeFile) {
  const TemporaryFolder folder;
  folder.write("report.json", "something longer than the new content");
  write_file_atomically(folder.path() / "report.json", "new");
  EXPECT_EQ(folder.read("report.json"), "new");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFile, LeavesNothingBehindWhenItFails) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "taken");
  EXPECT_THROW(write_file_atomically(folder.path() / "taken", "x"), InputError);
  EXPECT_THROW(write_file_atomically(folder.path() / "no" / "where.json", "x"), InputError);
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFile, CheckingDoesNotTouchTheFile) {
  const TemporaryFolder folder;
  folder.write("report.json", "old");
  check_writable(folder.path() / "report.json");
  check_writable(folder.path() / "new.json");
  EXPECT_EQ(folder.read("report.json"), "old");
  EXPECT_EQ(files_in(folder.path()), 1U);
  EXPECT_THROW(check_writable(folder.path() / "no" / "where.json"), InputError);
}

TEST(AtomicFile, WritesADeviceInsteadOfReplacingIt) {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  write_file_atomically(pipe, "report");
  char text[16] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 6);
  EXPECT_STREQ(text, "report");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(RoundedRatio, HasSixSignificantDigits) {
  EXPECT_EQ(rounded_ratio(1, 3), 0.333333);
  EXPECT_EQ(rounded_ratio(2, 3), 0.666667);
  EXPECT_EQ(rounded_ratio(24'812'345, 1'000'000), 24.8123);
  EXPECT_EQ(rounded_ratio(123'456'789, 1), 123'457'000.0);
  EXPECT_EQ(rounded_ratio(5, 5), 1.0);
  EXPECT_EQ(rounded_ratio(1, 1'000'000'000), 1e-9);
  EXPECT_EQ(rounded_ratio(9'999'995, 10), 1'000'000.0);
}

TEST(RoundedRatio, IsZeroWithoutSomethingToDivide) {
  EXPECT_EQ(rounded_ratio(0, 7), 0.0);
  EXPECT_EQ(rounded_ratio(7, 0), 0.0);
}

TEST(RoundedRatio, TakesOperandsOf128Bits) {
  const auto huge = ~static_cast<unsigned __int128>(0);
  EXPECT_EQ(rounded_ratio(huge, huge), 1.0);
  EXPECT_NEAR(rounded_ratio(huge, 1), std::ldexp(1.0, 128), std::ldexp(1.0, 128) * 1e-5);
  EXPECT_NEAR(rounded_ratio(1, huge), std::ldexp(1.0, -128), std::ldexp(1.0, -128) * 1e-5);
}

}  // namespace
}  // namespace ringside
