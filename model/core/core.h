// A core: Unicorn executes the guest, the pipeline says how long it took, and the board's events happen in between.
#pragma once

#include <array>
#include <exception>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "model/base/kernel_bridge.h"
#include "model/base/timeline.h"
#include "model/core/block.h"
#include "model/core/call_tree.h"
#include "model/core/config.h"
#include "model/core/decoder.h"
#include "model/core/engine_memory.h"
#include "model/core/image.h"
#include "model/core/pipeline.h"
#include "model/fabric/ports.h"
#include "model/guest/contract.h"
#include "model/memory/dram_image.h"
#include "model/memory/physical_memory.h"

struct uc_struct;

namespace ringside {

// What a core tells the board about itself, on its own local time.
class CoreObserver {
 public:
  virtual ~CoreObserver() = default;
  // The guest loaded from a watched range; called once per block that did, with the lowest such address.
  virtual void watched_load(Time /*now*/, std::uint64_t /*address*/) {}
  virtual void console(char /*byte*/) {}
  // The guest loaded bytes that DMA has replaced in DRAM since the core cached them.
  virtual void stale_load(Time /*now*/, std::uint64_t /*address*/, const std::string& /*where*/) {}
  virtual void statistics_table(std::uint64_t /*address*/) {}
  // The guest waits for an interrupt.
  virtual void idle(Time /*now*/) {}
  // The guest starts another core, or interrupts one.
  virtual void start_cpu(Time /*now*/, const guest::cpu_start& /*start*/) {}
  virtual void send_interrupt(Time /*now*/, std::uint64_t /*cpu*/, std::uint32_t /*vector*/) {}
  // At least every quantum of simulated time. Returning false stops the core.
  virtual bool keep_running(Time /*now*/) { return true; }
};

class Core : public sc_core::sc_module, public InterruptSink {
 public:
  enum class Ended { running, stopped, exited, failed };

  // The image must be loaded. `boot_argument` is the address of the board_info; all references must outlive the core.
  Core(sc_core::sc_module_name name, const CoreConfig& config, const Image& image, PhysicalMemory& memory,
       CorePort& port, MmioFabric& mmio, Timeline& timeline, KernelBridge& bridge, CoreObserver& observer);
  ~Core() override;

  void boot(std::uint64_t entry, std::uint64_t boot_argument, std::uint64_t stack_top);

  // Other cores share memory and devices with this one: it runs ahead of the kernel, and so of them, by no more than `quantum`
  // and a block, and has the kernel catch up before it moves the timeline. Until it is booted it is off. Before the
  // simulation starts.
  void share(Time quantum);
  bool off() const { return entry_ == 0; }

  // Books what it has slept until `now`, if it sleeps.
  void account_for_sleep(Time now);

  // Loads from [begin, end) are reported to the observer. One range; an empty one reports nothing.
  void watch(std::uint64_t begin, std::uint64_t end);

  // The bytes of DRAM are kept apart from those that this core sees. `invalidate` is what the core makes of an invalidation
  // of a dirty line. Before boot().
  void set_dram_image(DramImage& image, DramImage::Invalidate invalidate);

  // The core is busy with work that the guest does not contain, from the next block on.
  // What is left of a cycle is carried over.
  void occupy(Time duration);

  void interrupt(Time now, std::uint32_t vector) override;

  // Ends the core's thread after the block it is in.
  void stop();

  Ended ended() const { return ended_; }
  std::exception_ptr failure() const { return failure_; }
  // It waits for an interrupt. One that has arrived meanwhile will wake it.
  bool idle() const { return idle_; }
  bool interrupted() const { return pending_ != 0; }

  Cycle cycles() const { return pipeline_.retired(); }
  // Of the whole run until `now`, without waiting for interrupts. Never decreases.
  Cycle busy_cycles(Time now) const;
  Time local_time() const;
  // Stored by memcpy, memmove and copy_to_user of the guest.
  std::uint64_t copied_bytes() const { return copied_bytes_; }
  std::uint64_t interrupts_taken() const { return interrupts_taken_; }
  const PipelineCounts& counts() const { return pipeline_.counts(); }
  std::uint64_t total_instructions() const { return earlier_instructions_ + pipeline_.counts().instructions; }

  // Counters start again from zero; cycles() does not.
  void reset_counts();

  // Decoded blocks with their counts, by address.
  std::vector<const Block*> blocks() const;

  // As a disassembler prints it: "call 0x20d2db <mlx5e_xdp_handle>".
  std::string disassemble(const Instruction& instruction) const;

  // Cycles by call path, up to date. The numbers of functions are the image's.
  const CallTree& call_tree();

  // Tells of functions that are entered and left, beginning with those that are open. Null ends that.
  void observe_calls(CallObserver* observer) { calls_.observe(observer, progress()); }

  // "mlx5e_poll_rx_cq+0x1c (en_rx.cc:123)" of the next instruction.
  std::string where() const;
  // The same with who called: "_raw_spin_lock+0x8 (spinlock.cc:9), called from tcp_recvmsg, reader_turn".
  std::string where_and_callers() const;

 private:
  struct Hooks;

  void run();
  void on_block(std::uint64_t address, std::uint32_t size);
  void on_fault(const char* what, std::uint64_t address);
  void fault(const std::string& place, const std::string& what);
  std::uint64_t on_mmio_read(std::uint64_t address, std::uint32_t size);
  void on_mmio_write(std::uint64_t address, std::uint32_t size, std::uint64_t value);
  std::uint64_t read_board(std::uint64_t offset);
  void write_board(std::uint64_t offset, std::uint64_t value);
  void wait_for_interrupt();
  void start_cpu(std::uint64_t description);
  void sleep(Time until);
  void open_engine();
  void hook_line_operations();
  void finish_block(std::uint64_t next);
  void count_copied_bytes();
  void follow(const Block* from);
  CallTree::Progress progress() const { return {pipeline_.retired(), pipeline_.counts().instructions}; }
  void on_cached_load(std::uint64_t address, std::uint32_t size);
  void on_maintenance(std::uint64_t address, AccessKind kind);
  void synchronise(Cycle now);
  void synchronise_with_others(Time local);
  void catch_up(Time local);
  void wait_for_others_data();
  bool wait_for_boot();
  void set_next_sync();
  Block& block_at(std::uint64_t address, std::uint32_t size);
  void fail(std::exception_ptr failure);
  std::uint64_t program_counter() const;
  std::string guest_string(std::uint64_t address) const;

  const CoreConfig& config_;
  const Image& image_;
  PhysicalMemory& memory_;
  CorePort& port_;
  MmioFabric& mmio_;
  Timeline& timeline_;
  KernelBridge& bridge_;
  CoreObserver& observer_;
  Decoder decoder_;
  Pipeline pipeline_;
  CallTree calls_;

  uc_struct* engine_ = nullptr;
  std::unique_ptr<EngineMemory> engine_memory_;
  std::uint64_t entry_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;  // by offset into the text
  std::vector<std::unique_ptr<Block>> replaced_;
  std::vector<Access> accesses_;
  Block* current_ = nullptr;
  std::uint64_t watch_begin_ = 0, watch_size_ = 0, watched_ = 0;
  bool watched_hit_ = false;
  DramImage* image_of_dram_ = nullptr;
  DramImage::Invalidate invalidate_ = DramImage::Invalidate::clean;
  Cycle next_sync_{};
  Time quantum_;         // how far it runs ahead of the kernel
  bool shared_ = false;  // with other cores
  std::uint64_t snooped_lines_ = 0;  // of port_, as far as they have been waited for
  Time looked_after_{};  // when the observer was last asked whether to go on
  std::unique_ptr<Hooks> hooks_;

  Time owed_{};  // by occupy()
  std::uint64_t pending_ = 0;
  sc_core::sc_event wake_;
  bool idle_ = false;
  Cycle idle_cycles_{};
  Cycle asleep_until_{};  // end of the latest wait for an interrupt
  std::uint64_t copied_bytes_ = 0;
  std::uint64_t interrupts_taken_ = 0;
  std::uint64_t earlier_instructions_ = 0;
  bool stop_ = false;
  Ended ended_ = Ended::running;
  std::exception_ptr failure_;
};

}  // namespace ringside
