// Bad input: one line that says where, what was found and what is allowed; status 2; no file.
#include <gmock/gmock.h>

#include "tb/tests/regress/capture_file.h"
#include "tb/tests/regress/ringside_run.h"

namespace ringside::test {
namespace {

using testing::HasSubstr;

void expect_refused(const Outcome& outcome, const std::vector<std::string>& parts) {
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
  EXPECT_TRUE(outcome.error.starts_with("ringside: ")) << outcome.error;
  for (const auto& part : parts) EXPECT_THAT(outcome.error, HasSubstr(part));
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.files, 0U) << "an output file is left";
}

void expect_scenario_refused(const std::string& text, const std::vector<std::string>& parts) {
  expect_refused(RingsideRun({"bad.toml"}).file("bad.toml", text).run(), parts);
}

void expect_setting_refused(const std::string& setting, std::vector<std::string> parts) {
  parts.push_back("--set " + setting);
  expect_refused(main_scenario(100).set(setting).run(), parts);
}

TEST(BadScenario, UnknownKey) {
  expect_scenario_refused("[traffic]\nrate = \"1 Mpps\"\nfram_size = 64\n",
                          {"bad.toml:3: unknown key traffic.fram_size", "allowed", "did you mean traffic.frame_size?"});
}

TEST(BadScenario, TcpNeedsBothEnds) {
  const auto refused = [](const std::string& setting, const std::vector<std::string>& parts) {
    expect_refused(RingsideRun({"mlx5e-tcp"}).set(setting).run(), parts);
  };
  refused("driver.xdp=drop", {"--set driver.xdp=drop: driver.xdp: \"drop\" keeps every packet from TCP", "\"none\""});
  refused("driver.stack=sink", {"mlx5e-tcp.toml:", "traffic.pattern", "driver.stack = \"tcp\" is required"});
  refused("traffic.flows=65", {"--set traffic.flows=65: traffic.flows: 65 TCP connections; at most 64 are allowed"});
  expect_setting_refused("driver.reader=verify", {"driver.reader has no effect with driver.stack = \"raw-drop\"", "driver.stack = \"tcp\""});
}

TEST(BadScenario, WrongType) {
  expect_scenario_refused("[driver]\nrx_ring = \"many\"\n", {"bad.toml:2: driver.rx_ring is the string \"many\"", "16 to 8192"});
  expect_scenario_refused("[traffic]\nloop = 1\n", {"bad.toml:2: traffic.loop is the number 1", "true or false"});
  expect_scenario_refused("[driver]\nflags = \"-O3\"\n", {"bad.toml:2: driver.flags is the string", "an array of strings"});
}

TEST(BadScenario, OutOfRange) {
  expect_scenario_refused("[driver]\n\nrx_ring = 100000\n", {"bad.toml:3: driver.rx_ring is 100000", "16 to 8192 entries is allowed"});
  expect_scenario_refused("[wire]\nrate = \"2 Tbps\"\n", {"bad.toml:2: wire.rate", "allowed"});
}

TEST(BadScenario, NotAPowerOfTwo) {
  expect_scenario_refused("[driver]\nrx_ring = 1000\n", {"bad.toml:2: driver.rx_ring is 1000", "a power of two", "512"});
}

// What a model refuses, with the place of what was given last.
TEST(BadScenario, WhatModelsRefuseHasItsPlace) {
  expect_setting_refused("memory.l1d_ways=7", {"--set memory.l1d_ways=7: memory.l1d_size, memory.l1d_ways: 49152 bytes in 7 ways", "allowed"});
  expect_setting_refused("memory.fill_buffer_banks=5", {"--set memory.fill_buffer_banks=5: memory.fill_buffer_banks: 5; a power of two"});
  expect_setting_refused("pcie.lanes=3", {"--set pcie.lanes=3: pcie.lanes = 3: a power of two is allowed"});
  expect_scenario_refused("[memory]\n\nstlb_ways = 7\n", {"bad.toml:3: memory.stlb_entries, memory.stlb_ways: 2048 entries in 7 ways", "allowed"});
}

TEST(BadScenario, NotToml) { expect_scenario_refused("[driver\nrx_ring = 64\n", {"bad.toml:1: ", "TOML"}); }

TEST(BadScenario, Missing) {
  expect_refused(RingsideRun({"mlx5e-xdp-dorp"}).run(), {"mlx5e-xdp-dorp: no such file", "did you mean mlx5e-xdp-drop?"});
}

TEST(BadScenario, MissingCapture) {
  expect_scenario_refused("[traffic]\npcap = \"gone.pcap\"\n", {"bad.toml:2: traffic.pcap \"gone.pcap\" does not exist", "allowed"});
}

TEST(BadSetting, UnknownUnitNameOrChoice) {
  expect_setting_refused("traffic.rate=5 Mpss", {"unknown unit", "did you mean Mpps?"});
  expect_setting_refused("cpu.model=xeon-8381", {"did you mean xeon-8380?"});
  expect_setting_refused("driver.compiler=gc", {"one of gcc, clang is allowed", "did you mean gcc?"});
  expect_setting_refused("driver.xdp=drob", {"one of drop, drop-read, pass", "did you mean drop?"});
  expect_setting_refused("driver.stack=raw-dorp", {"one of raw-drop, digest, udp-no-port, sink, tcp is allowed", "did you mean raw-drop?"});
}

TEST(BadSetting, ProgramThatCannotWorkOnPacketsInSeveralBuffers) {
  expect_refused(main_scenario(100).set("driver.mtu=3499").set("driver.xdp=tx").run(),
                 {"driver.mtu is 3499; at most 3498 is allowed for driver.xdp \"tx\""});
  expect_refused(main_scenario(100).set("driver.mtu=9979").run(), {"driver.mtu", "9978"});
}

TEST(BadSetting, TrafficThatContradictsItself) {
  const auto refused = [](std::initializer_list<const char*> settings, const std::string& part) {
    RingsideRun run = main_scenario(100);
    for (const char* setting : settings) run.set(setting);
    expect_refused(run.run(), {"--set traffic.", part});
  };
  refused({"traffic.rate=0 pps", "traffic.pattern=poisson"}, "needs a rate above 0");
  refused({"traffic.pattern=imix", "traffic.frame_size=1518"}, "allowed with traffic.pattern other than \"imix\"");
  refused({"traffic.loop=true"}, "allowed with a traffic.pcap");
  refused({"traffic.pcap=captures/web-browsing-2010.pcap", "traffic.pattern=burst"}, "its own frames");
  refused({"traffic.pcap=captures/web-browsing-2010.pcap", "traffic.pcap_scale=50"}, "allowed with traffic.pcap_timing = \"scaled\"");
}

TEST(BadSetting, UnknownCompilerFlag) {
  expect_setting_refused("driver.flags=-fno-such-flag", {"unrecognized command-line option", "-fno-such-flag", "allowed"});
}

void expect_capture_refused(const std::string& content, const std::vector<std::string>& parts) {
  expect_refused(main_scenario(100).file("bad.pcap", content).set("traffic.pcap=bad.pcap").run(), parts);
}

TEST(BadCapture, CutShort) {
  const std::string whole = capture(3);
  expect_capture_refused(whole.substr(0, whole.size() - 1), {"bad.pcap: packet 3: truncated"});
  expect_capture_refused(whole.substr(0, kCaptureHeader + kPacketHeader - 1), {"bad.pcap: packet 1: truncated"});
  expect_capture_refused(whole.substr(0, kCaptureHeader - 1), {"bad.pcap: truncated"});
  expect_capture_refused("", {"bad.pcap: truncated"});
}

TEST(BadCapture, NotEthernet) { expect_capture_refused(capture(1, kRawIp), {"bad.pcap: link type RAW", "Ethernet", "allowed"}); }

TEST(BadCapture, Text) { expect_capture_refused("frames, many of them\n", {"bad.pcap: unknown file format", "pcap"}); }

void expect_image_refused(const std::string& path, const std::string& setting, const std::vector<std::string>& parts) {
  RingsideRun run({"mlx5e-xdp-drop", "--image", path});
  expect_refused(run.file("text.elf", "no image\n").file("short.elf", "\x7f" "ELF").set(setting).run(), parts);
}

TEST(BadImage, OfAnotherMachine) {
  const std::string arm = image_path("mlx5e-aarch64-gcc-none");
  expect_image_refused(arm, "cpu.model=xeon-8380", {arm + ": an image for aarch64", "x86_64"});
  const std::string x86 = image_path("mlx5e-x86-64-gcc-none");
  expect_image_refused(x86, "cpu.model=cortex-a72", {x86 + ": an image for x86_64", "aarch64"});
}

// An ELF header and nothing else: 32 bits, or a machine that is not simulated.
std::string elf_header(char word_size, char machine) {
  std::string header(64, '\0');
  header.replace(0, 7, std::string("\x7f" "ELF") + word_size + "\x01\x01");
  header[16] = 2;  // ET_EXEC
  header[18] = machine;
  header[20] = 1;
  header[word_size == 1 ? 40 : 52] = static_cast<char>(word_size == 1 ? 52 : 64);
  return header;
}

TEST(BadImage, ElfOfAnotherKind) {
  RingsideRun narrow({"mlx5e-xdp-drop", "--image", "i386.elf"});
  expect_refused(narrow.file("i386.elf", elf_header(1, 3)).run(), {"i386.elf: an ELF file of another word size", "64-bit"});
  RingsideRun riscv({"mlx5e-xdp-drop", "--image", "riscv.elf"});
  expect_refused(riscv.file("riscv.elf", elf_header(2, static_cast<char>(243))).run(), {"riscv.elf: ELF machine 243", "x86-64"});
  expect_image_refused("/bin/sh", "run.seed=1", {"/bin/sh: not an executable", "statically linked"});
}

TEST(BadImage, NoElf) {
  expect_image_refused("text.elf", "run.seed=1", {"text.elf: not an ELF file"});
  expect_image_refused("short.elf", "run.seed=1", {"short.elf: not an ELF file"});
  expect_image_refused("gone.elf", "run.seed=1", {"gone.elf", "does not exist"});
}

TEST(BadOutput, CannotBeWritten) {
  expect_refused(main_scenario(100).set("run.seed=2").run_to("/nonexistent/report.json"), {"/nonexistent/report.json: cannot be written"});
  expect_refused(main_scenario(100).run_to("."), {".: cannot be written: is a directory"});
}

}  // namespace
}  // namespace ringside::test
