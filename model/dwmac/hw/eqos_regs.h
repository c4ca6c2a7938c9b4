// Registers of EQOS (GMAC 4.x, 5.x) that the model gives a meaning to. Freestanding. All registers are 32 bits wide;
// registers not listed hold what is written to them. Offsets and bits: open drivers of the core.
#pragma once

#include <cstdint>

namespace ringside::dwmac::eqos {

// MAC.
inline constexpr std::uint32_t kMacConfig = 0x0000;
inline constexpr std::uint32_t kConfigRe = 1u << 0, kConfigTe = 1u << 1;
inline constexpr std::uint32_t kConfigFes = 1u << 14, kConfigPs = 1u << 15;  // speed: not used by the model
inline constexpr std::uint32_t kConfigJe = 1u << 16;   // jumbo frames are no giants
inline constexpr std::uint32_t kConfigWd = 1u << 19;   // receive watchdog off
inline constexpr std::uint32_t kConfigIpc = 1u << 27;  // checksum engine

inline constexpr std::uint32_t kMacExtConfig = 0x0004;
inline constexpr std::uint32_t kExtConfigHdsmsShift = 20, kExtConfigHdsmsMask = 0x7u << 20;  // longest header 64 << n

inline constexpr std::uint32_t kMacPacketFilter = 0x0008;
inline constexpr std::uint32_t kMacRxFlowCtrl = 0x0090;

// MAC_Q0_Tx_Flow_Ctrl + 4q.
constexpr std::uint32_t mac_tx_flow_ctrl(std::uint32_t q) { return 0x0070 + 4 * q; }

inline constexpr std::uint32_t kMacRxqCtrl0 = 0x00a0;  // 2 bits a queue: 0 off, 1 AV, 2 general
inline constexpr std::uint32_t kMacRxqCtrl2 = 0x00a8;  // 8 bits a queue: VLAN priorities that go to it
inline constexpr std::uint32_t kMacVersion = 0x0110;   // 7:0 version, 0x52 is 5.20
inline constexpr std::uint32_t kMacHwFeature0 = 0x011c;
inline constexpr std::uint32_t kMacHwFeature1 = 0x0120;
inline constexpr std::uint32_t kMacHwFeature2 = 0x0124;
inline constexpr std::uint32_t kMacTimestampControl = 0x0b00;

// MTL. Queue q's registers start at kMtlQueue + q * kMtlQueueStride.
inline constexpr std::uint32_t kMtlRxqDmaMap0 = 0x0c30;  // 8 bits a queue: 3:0 the channel
inline constexpr std::uint32_t kMtlQueue = 0x0d00, kMtlQueueStride = 0x40;
inline constexpr std::uint32_t kMtlTxOpMode = 0x00;  // offsets from the queue's base
inline constexpr std::uint32_t kMtlRxOpMode = 0x30;
inline constexpr std::uint32_t kMtlRxDebug = 0x38;

inline constexpr std::uint32_t kTxOpTsf = 1u << 1;     // store and forward; the model does nothing else
inline constexpr std::uint32_t kTxOpTxqen = 2u << 2;   // queue on
inline constexpr std::uint32_t kRxOpRtcMask = 0x3;     // threshold: 0 64 B, 1 32, 2 96, 3 128
inline constexpr std::uint32_t kRxOpEhfc = 1u << 7;    // flow control by the queue's fill level
inline constexpr std::uint32_t kRxOpRfaShift = 8, kRxOpRfaMask = 0x3fu << 8;
inline constexpr std::uint32_t kRxOpRfdShift = 14, kRxOpRfdMask = 0x3fu << 14;
inline constexpr std::uint32_t kRxOpRqsShift = 20, kRxOpRqsMask = 0x3ffu << 20;

// DMA.
inline constexpr std::uint32_t kDmaMode = 0x1000;
inline constexpr std::uint32_t kDmaModeDche = 1u << 19;  // descriptor cache on (5.20 and later)
inline constexpr std::uint32_t kDmaModeIntmShift = 16, kDmaModeIntmMask = 0x3u << 16;
inline constexpr std::uint32_t kDmaSysBusMode = 0x1004;
inline constexpr std::uint32_t kSysBusFb = 1u << 0;  // fixed bursts
inline constexpr std::uint32_t kSysBusMb = 1u << 14;
inline constexpr std::uint32_t kSysBusRdOsrShift = 16, kSysBusRdOsrMask = 0xfu << 16;
inline constexpr std::uint32_t kSysBusWrOsrShift = 24, kSysBusWrOsrMask = 0xfu << 24;
inline constexpr std::uint32_t kDmaIntStatus = 0x1008;

// Channel c's registers start at kDmaChannel + c * kDmaChannelStride.
inline constexpr std::uint32_t kDmaChannel = 0x1100, kDmaChannelStride = 0x80;
inline constexpr std::uint32_t kChControl = 0x00;  // offsets from the channel's base
inline constexpr std::uint32_t kChTxControl = 0x04;
inline constexpr std::uint32_t kChRxControl = 0x08;
inline constexpr std::uint32_t kChTxListHigh = 0x10;
inline constexpr std::uint32_t kChTxList = 0x14;
inline constexpr std::uint32_t kChRxListHigh = 0x18;
inline constexpr std::uint32_t kChRxList = 0x1c;
inline constexpr std::uint32_t kChTxTail = 0x20;
inline constexpr std::uint32_t kChRxTail = 0x28;
inline constexpr std::uint32_t kChTxRingLength = 0x2c;  // entries minus 1
inline constexpr std::uint32_t kChRxRingLength = 0x30;
inline constexpr std::uint32_t kChIntEnable = 0x34;
inline constexpr std::uint32_t kChRxWatchdog = 0x38;
inline constexpr std::uint32_t kRwtUnitShift = 16, kRwtUnitMask = 0x3u << 16;  // 256 << n clocks
inline constexpr std::uint32_t kChCurTxDesc = 0x44;
inline constexpr std::uint32_t kChCurRxDesc = 0x4c;
inline constexpr std::uint32_t kChStatus = 0x60;  // write 1 to clear

// Interrupt enable: the summary bits moved with 4.10; later cores have them where common_regs.h says.
inline constexpr std::uint32_t kIntAie400 = 1u << 15, kIntNie400 = 1u << 16;
inline constexpr std::uint32_t kVersion410 = 0x41;

}  // namespace ringside::dwmac::eqos
