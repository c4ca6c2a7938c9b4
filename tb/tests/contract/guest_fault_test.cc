// A guest that goes wrong is named by function, source line and simulated time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/tests/support/guest_bench.h"

namespace ringside::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

class GuestFault : public testing::TestWithParam<const char*> {
 protected:
  std::string failure(const char* program) const {
    const std::string isa = GetParam();
    return failure_of({"bench-" + isa + "-gcc-none", isa == "x86-64" ? "xeon-8380" : "cortex-a72", program});
  }
};

TEST_P(GuestFault, ReadOfUnmappedMemory) {
  EXPECT_THAT(failure("read-null"), AllOf(ContainsRegex("^at [0-9]+\\.[0-9]{6} us: core0: "), HasSubstr("read from 0x8"),
                                          ContainsRegex("read_null\\+0x[0-9a-f]+ \\(types\\.h:[0-9]+ in faults\\.cc:[0-9]+\\)")));
}

TEST_P(GuestFault, WriteToUnmappedMemory) {
  EXPECT_THAT(failure("write-unmapped"), AllOf(HasSubstr("write_unmapped"), HasSubstr("write to 0x50000000")));
}

TEST_P(GuestFault, UndefinedInstruction) { EXPECT_THAT(failure("undefined"), AllOf(HasSubstr("undefined_instruction"), HasSubstr("an undefined instruction"))); }

TEST_P(GuestFault, JumpOutsideTheCode) { EXPECT_THAT(failure("wild-jump"), AllOf(HasSubstr("in jump_into_data"), HasSubstr("jump to 0x1000000"))); }

TEST_P(GuestFault, Panic) {
  EXPECT_THAT(failure("panic"), AllOf(HasSubstr("panic_on_purpose"), HasSubstr("out of teapots")));
}

INSTANTIATE_TEST_SUITE_P(Isa, GuestFault, testing::Values("x86-64", "aarch64"),
                         [](const auto& info) { return std::string(info.param) == "aarch64" ? "AArch64" : "X86"; });

}  // namespace
}  // namespace ringside::test
