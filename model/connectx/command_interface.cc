#include "model/connectx/command_interface.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>

#include "model/connectx/frame_limits.h"

namespace ringside::connectx {

namespace {

constexpr std::size_t kAnswerBytes = offsetof(command_mailbox, object) + sizeof(command_mailbox::object);

}  // namespace

void CommandInterface::ring(Time now) {
  if (running_) {
    ++context_.counters.mmio_ignored;
    return;
  }
  running_ = true;
  running_at_ = address_;
  context_.read(now, DmaUse::command, running_at_, sizeof(command_mailbox), *this, 0);
}

void CommandInterface::on_read(Time now, std::uint64_t, std::span<const std::uint8_t> data, bool ok) {
  if (!ok) {
    running_ = false;
    ++context_.counters.commands_failed;
    return;
  }
  std::memcpy(&mailbox_, data.data(), sizeof mailbox_);
  context_.timeline.schedule(now + context_.config.command_latency, *this);
}

void CommandInterface::fire(Time now, std::uint64_t) {
  running_ = false;
  CommandStatus status = kCmdOk;
  if (mailbox_.opcode != kCmdSetPortMtu) {
    status = objects_.execute(now, mailbox_, engines_);
  } else if (mailbox_.port.mtu < kMinMtu || mailbox_.port.mtu > kMaxMtu || mailbox_.port.number >= kPorts) {
    status = kCmdBadParameter;
  } else if (mailbox_.port.number == 0) {
    engines_.rx.set_mtu(mailbox_.port.mtu);
  }
  mailbox_.status = status;
  ++(status == kCmdOk ? context_.counters.commands : context_.counters.commands_failed);
  context_.write(now, DmaUse::command, running_at_, {reinterpret_cast<const std::uint8_t*>(&mailbox_), kAnswerBytes});
}

std::string CommandInterface::waiting_for() const {
  return running_ ? fmt::format("command {:#x} is running\n", mailbox_.opcode) : std::string{};
}

}  // namespace ringside::connectx
