#include "model/core/config.h"

#include <array>

namespace ringside {
namespace {

constexpr auto kRequired = ParameterVisitor::Origin::required;
constexpr std::array<std::string_view, 2> kArchitectures{"x86_64", "aarch64"};
constexpr Need kX86{{"cpu.architecture", "x86_64"}};
constexpr Need kOutOfOrder{{"cpu.in_order", "false"}};
constexpr Need kSeveralCores{{"cpu.cores", "1", false}};
constexpr Need kLimitedLines{{"cpu.line_instructions", "0", false}};

}  // namespace

void PredictorConfig::visit(ParameterVisitor& v) {
  v.number({"cpu.predictor.bimodal", "entries", "", "two-bit counters by address"}, kRequired, bimodal_entries, 16,
           1 << 20);
  v.number({"cpu.predictor.tagged", "entries", "", "entries of each of the four tables with history"}, kRequired,
           tagged_entries, 16, 1 << 20);
  v.number({"cpu.predictor.loop", "entries", "", "loops whose trip count is remembered"}, kRequired, loop_entries, 1,
           1 << 16);
  v.number({"cpu.predictor.indirect", "entries", "",
            "targets of indirect branches, by address and in each table with history"},
           kRequired, indirect_entries, 16, 1 << 20);
  v.number({"cpu.predictor.return", "entries", "", "depth of the return stack"}, kRequired, return_entries, 1, 1 << 10);
}

void CoreConfig::visit(ParameterVisitor& v) {
  v.choice({"cpu.architecture", "", "", "instruction set"}, kRequired, architecture, kArchitectures);
  v.text({"cpu.llvm", "", "", "name by which LLVM knows the core; latencies and micro-ops come from there"}, kRequired,
         llvm);
  v.frequency({"cpu.frequency", "GHz", "", "clock of the core while it runs the driver"}, kRequired, frequency,
              megahertz(100), megahertz(10'000));
  v.time({"cpu.interrupt_latency", "ns", "", "from the arrival of an interrupt to the first instruction after the wait for it"},
         kRequired, interrupt_latency, Time{}, milliseconds(1));
  v.time({"cpu.ipi_latency", "ns", "", "from the store that sends an interrupt to another core to its arrival there", {kSeveralCores}}, kRequired,
         ipi_latency, Time{}, milliseconds(1));
  v.number({"cpu.dispatch_width", "uops/cycle", "", "fused micro-ops renamed and dispatched per cycle"}, kRequired,
           dispatch_width, 1, 16);
  v.number({"cpu.retire_width", "uops/cycle", "", "fused micro-ops retired per cycle"}, kRequired, retire_width, 1, 32);
  v.number({"cpu.rob_entries", "uops", "", "reorder buffer"}, kRequired, rob_entries, 8, 4096);
  v.number({"cpu.load_queue", "entries", "", "loads between dispatch and retirement"}, kRequired, load_queue, 1, 1024);
  v.number({"cpu.store_queue", "entries", "", "stores between dispatch and commit to the cache"}, kRequired,
           store_queue, 1, 1024);
  v.number({"cpu.alu_ports", "per cycle", "", "integer operations and branches started per cycle"}, kRequired,
           alu_ports, 1, 16);
  v.number({"cpu.load_ports", "per cycle", "", "loads started per cycle"}, kRequired, load_ports, 1, 8);
  v.number({"cpu.store_ports", "per cycle", "", "stores started, and stores committed, per cycle"}, kRequired,
           store_ports, 1, 8);
  v.flag({"cpu.shared_memory_ports", "", "", "loads and stores compete for the load ports"}, kRequired,
         shared_memory_ports);
  v.flag({"cpu.commit_same_line", "", "", "stores commit in the same cycle only if they go to the same line"}, kRequired,
         commit_same_line);
  v.flag({"cpu.in_order", "", "", "instructions start in program order and stall on the first missing operand"},
         kRequired, in_order);
  v.number({"cpu.integer_registers", "registers", "",
            "results of integer instructions between dispatch and retirement; 0: no limit", {kOutOfOrder}},
           kRequired, integer_registers, 0, 4096);
  v.number({"cpu.fetch_ahead", "lines", "", "how far instruction fetch runs ahead of dispatch"}, kRequired, fetch_ahead,
           1, 8);
  v.number({"cpu.taken_branch", "cycles", "", "from one taken branch to the next, at best"}, kRequired,
           taken_branch_cycles, 0, 8);
  v.number({"cpu.taken_branches", "branches", "", "taken branches that the front end passes in that time"},
           kRequired, taken_branches, 1, 4);
  v.number({"cpu.return_branch", "cycles", "", "from a predicted return to the next taken branch, at best"}, kRequired,
           return_cycles, 0, 16);
  v.number({"cpu.code_line", "cycles", "", "from one line of straight code to the next, at best"}, kRequired,
           code_line_cycles, 0, 8);
  v.number({"cpu.line_instructions", "instructions", "",
            "instructions of one line of code that the front end passes in the time of cpu.code_line, and half as many in that of a taken branch; 0: no limit"},
           kRequired, line_instructions, 0, 64);
  v.number({"cpu.line_extra", "cycles", "", "for each further cpu.line_instructions of the same line", {kLimitedLines}}, kRequired,
           line_extra_cycles, 0, 8);
  v.number({"cpu.front_end_queue", "cycles", "", "how far the front end runs ahead of dispatch; hides what branches and lines cost it"},
           kRequired, front_end_queue, 0, 64);
  v.number({"cpu.mispredict_penalty", "cycles", "",
            "from the execution of a mispredicted branch to the dispatch of the right path"},
           kRequired, mispredict_penalty, 1, 100);
  predictor.visit(v);
  v.number({"cpu.store_forward.latency", "cycles", "", "load-to-use latency of a load that a queued store covers"},
           kRequired, store_forward_latency, 0, 100);
  v.number({"cpu.store_forward.fail_penalty", "cycles", "",
            "from the commit of a store that covers a load only in part to the load's result"},
           kRequired, store_forward_fail_penalty, 0, 100);
  v.number({"cpu.fence.load", "cycles", "", "lfence, dmb ishld, once everything older has completed"}, kRequired,
           load_fence, 0, 1000);
  v.number({"cpu.fence.store", "cycles", "", "sfence, dmb ishst"}, kRequired, store_fence, 0, 1000);
  v.number({"cpu.fence.full", "cycles", "", "mfence, dmb, dsb, once everything older is visible"}, kRequired,
           full_fence, 0, 1000);
  v.number({"cpu.fence.locked", "cycles", "", "atomic read-modify-write, on top of the load"}, kRequired, locked, 0,
           1000);
  v.number({"cpu.fence.serialise", "cycles", "", "cpuid, isb and the like, once everything older has completed"},
           kRequired, serialise, 0, 10'000);
  v.number({"cpu.pause", "cycles", "", "for which pause keeps what follows from starting", {kX86}}, kRequired, pause, 0, 1000);
  v.number({"cpu.rep.micro_ops", "uops", "", "reorder buffer entries of a repeated string instruction", {kX86}}, kRequired,
           rep_micro_ops, 1, 256);
  v.table({"cpu.rep_stos.wide", "cycles", "", "rep stosw/d/q in the microcode sequencer", {kX86}}, kRequired, rep_stos.wide);
  v.table({"cpu.rep_stos.byte", "cycles", "", "rep stosb in the microcode sequencer", {kX86}}, kRequired, rep_stos.byte);
  v.number({"cpu.rep_stos.bytes_per_cycle", "bytes/cycle", "", "rate beyond the last step", {kX86}}, kRequired,
           rep_stos.bytes_per_cycle, 1, 1024);
  v.number({"cpu.rep_stos.late_offset", "bytes", "", "offset in its line from which a destination costs more", {kX86}},
           kRequired, rep_stos.late_offset, 0, 64);
  v.number({"cpu.rep_stos.late_penalty", "cycles", "", "what such a destination costs more", {kX86}}, kRequired,
           rep_stos.late_penalty, 0, 1000);
  v.table({"cpu.rep_movs.wide", "cycles", "", "rep movsw/d/q in the microcode sequencer", {kX86}}, kRequired, rep_movs.wide);
  v.table({"cpu.rep_movs.byte", "cycles", "", "rep movsb in the microcode sequencer", {kX86}}, kRequired, rep_movs.byte);
  v.number({"cpu.rep_movs.bytes_per_cycle", "bytes/cycle", "", "rate beyond the last step", {kX86}}, kRequired,
           rep_movs.bytes_per_cycle, 1, 1024);
  v.number({"cpu.rep_movs.late_offset", "bytes", "", "offset in its line from which a destination costs more", {kX86}},
           kRequired, rep_movs.late_offset, 0, 64);
  v.number({"cpu.rep_movs.late_penalty", "cycles", "", "what such a destination costs more", {kX86}}, kRequired,
           rep_movs.late_penalty, 0, 1000);
}

}  // namespace ringside
