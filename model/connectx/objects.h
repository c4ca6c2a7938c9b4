// The objects that the driver has created in the device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/connectx/completion_queue.h"
#include "model/connectx/context.h"
#include "model/connectx/engines.h"
#include "model/connectx/event_queue.h"
#include "model/connectx/hw/registers.h"
#include "model/connectx/mkey_table.h"
#include "model/connectx/receive_queue.h"
#include "model/connectx/send_queue.h"
#include "model/connectx/steering.h"

namespace ringside::connectx {

// Creates, finds and destroys objects by number. Numbers are not used again, and a destroyed queue stays in memory: DMA
// reads and timers of its former life may still be on their way.
class Objects {
 public:
  explicit Objects(Context& context) : context_(context) {}

  // Runs a create, modify or destroy command; a create puts the new number into `mailbox.object`.
  CommandStatus execute(Time now, command_mailbox& mailbox, Engines& engines);

  EventQueue* event_queue(std::uint32_t number) { return find(event_queues_, number); }
  CompletionQueue* completion_queue(std::uint32_t number);
  ReceiveQueue* receive_queue(std::uint32_t number);
  SendQueue* send_queue(std::uint32_t number);

  const Steering& steering() const { return steering_; }
  const MkeyTable& mkeys() const { return mkeys_; }
  const std::vector<std::unique_ptr<CompletionQueue>>& completion_queues() const { return completion_queues_; }
  std::string waiting_for() const;

 private:
  // Numbers start at 1.
  template <class T>
  static T* find(const std::vector<std::unique_ptr<T>>& table, std::uint32_t number) {
    return number - 1 < table.size() ? table[number - 1].get() : nullptr;
  }

  CommandStatus create_mkey(command_mailbox& mailbox);
  CommandStatus create_eq(command_mailbox& mailbox);
  CommandStatus create_cq(command_mailbox& mailbox, Engines& engines);
  CommandStatus create_rq(command_mailbox& mailbox, Engines& engines);
  CommandStatus create_sq(command_mailbox& mailbox, Engines& engines);
  CommandStatus create_tir(command_mailbox& mailbox);
  CommandStatus modify_cq(Time now, const command_mailbox& mailbox);
  CommandStatus modify_rq(Time now, const command_mailbox& mailbox);
  CommandStatus modify_sq(const command_mailbox& mailbox);
  CommandStatus destroy_eq(std::uint32_t number);
  CommandStatus destroy_cq(std::uint32_t number);
  CommandStatus destroy_rq(Time now, std::uint32_t number);
  CommandStatus destroy_sq(std::uint32_t number, Engines& engines);
  CommandStatus destroy_tir(std::uint32_t number);

  Context& context_;
  MkeyTable mkeys_;
  Steering steering_;
  std::uint32_t next_tir_ = 1;
  std::vector<std::unique_ptr<EventQueue>> event_queues_;
  std::vector<std::unique_ptr<CompletionQueue>> completion_queues_;
  std::vector<std::unique_ptr<ReceiveQueue>> receive_queues_;
  std::vector<std::unique_ptr<SendQueue>> send_queues_;
};

}  // namespace ringside::connectx
