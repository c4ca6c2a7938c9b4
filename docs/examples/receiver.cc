// The smallest guest that receives: one ring on an EQOS core, one buffer for each descriptor; packets are counted and dropped.
#include "model/dwmac/hw/common_regs.h"
#include "model/dwmac/hw/desc.h"
#include "model/dwmac/hw/eqos_regs.h"
#include "model/guest/contract.h"

using namespace ringside::guest;
namespace dw = ringside::dwmac;
namespace eqos = ringside::dwmac::eqos;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kEntries = 256, kBufferSize = 2048;
alignas(64) dw::dma_desc ring[kEntries];
u64 packets, bytes;
guest_stat statistics[] = {{"rx_packets", &packets}, {"rx_bytes", &bytes}, {"", nullptr}};

// Registers of the device have 4 bytes, those of the board 8.
volatile u32* nic(u32 offset) { return reinterpret_cast<volatile u32*>(kNicBar + offset); }
volatile u32* channel(u32 offset) { return nic(eqos::kDmaChannel + offset); }
volatile u64* board(BoardReg reg) { return reinterpret_cast<volatile u64*>(kBoardRegs + static_cast<u64>(reg)); }
u32 bus_address(const void* object) { return static_cast<u32>(reinterpret_cast<u64>(object)); }

// Gives a descriptor to the DMA. OWN is written last.
void refill(u32 i, u64 heap) {
  ring[i].des0 = static_cast<u32>(heap + u64{i} * kBufferSize);
  ring[i].des1 = 0;
  asm volatile("" ::: "memory");
  ring[i].des3 = dw::kDes3Own | eqos::kRdes3Ioc | eqos::kRdes3Buf1v;
}

bool is_received(u32 i) {
  asm volatile("" ::: "memory");
  return (ring[i].des3 & dw::kDes3Own) == 0;
}

void start_receiving(u64 heap) {
  for (u32 i = 0; i < kEntries; i++) refill(i, heap);
  *nic(eqos::kMtlQueue + eqos::kMtlRxOpMode) = dw::kRxOpRsf | 63u << eqos::kRxOpRqsShift;  // 64 x 256 bytes of FIFO
  *channel(eqos::kChRxList) = bus_address(ring);
  *channel(eqos::kChRxRingLength) = kEntries - 1;
  *channel(eqos::kChIntEnable) = dw::kIntNie | dw::kIntRi;
  *channel(eqos::kChRxControl) = 32u << dw::kChPblShift | kBufferSize << dw::kChRxRbszShift | dw::kChRxSr;
  *channel(eqos::kChRxTail) = bus_address(ring + kEntries);
  *nic(eqos::kMacPacketFilter) = dw::kFilterPr;
  *nic(eqos::kMacConfig) = eqos::kConfigRe;
  // A read does not pass the writes before it: when it returns, the device has them all.
  (void)*nic(eqos::kMacVersion);
}

extern "C" [[noreturn]] void _start(const board_info* info) {
  if (info->magic != kBoardMagic || info->version != kContractVersion) *board(BoardReg::panic) = bus_address("not my board");
  start_receiving(info->heap_base);
  *board(BoardReg::stats) = bus_address(statistics);
  for (u32 next = 0;;) {
    *board(BoardReg::idle) = 0;  // the first one starts the traffic; each returns when there is an interrupt
    (void)*board(BoardReg::pending);
    *channel(eqos::kChStatus) = dw::kIntNis | dw::kIntRi;
    for (; is_received(next); next = (next + 1) % kEntries) {
      packets++;
      bytes += ring[next].des3 & eqos::kRdes3PlMask;
      refill(next, info->heap_base);
      *channel(eqos::kChRxTail) = bus_address(ring + next);
    }
  }
}
