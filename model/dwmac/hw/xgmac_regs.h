// Registers of XGMAC (DWXGMAC 2.x, 3.x) that the model gives a meaning to. Freestanding. All registers are 32 bits wide;
// registers not listed hold what is written to them. Offsets and bits: open drivers of the core.
#pragma once

#include <cstdint>

namespace ringside::dwmac::xgmac {

// MAC.
inline constexpr std::uint32_t kMacTxConfig = 0x0000;
inline constexpr std::uint32_t kTxConfigTe = 1u << 0;
inline constexpr std::uint32_t kMacRxConfig = 0x0004;
inline constexpr std::uint32_t kRxConfigRe = 1u << 0;
inline constexpr std::uint32_t kRxConfigWd = 1u << 7;   // receive watchdog off
inline constexpr std::uint32_t kRxConfigJe = 1u << 8;   // jumbo frames are no giants
inline constexpr std::uint32_t kRxConfigIpc = 1u << 9;  // checksum engine
inline constexpr std::uint32_t kRxConfigHdsmsShift = 12, kRxConfigHdsmsMask = 0x7u << 12;  // longest header 64 << n

inline constexpr std::uint32_t kMacPacketFilter = 0x0008;
inline constexpr std::uint32_t kMacRxFlowCtrl = 0x0090;

// MAC_Q0_Tx_Flow_Ctrl + 4q.
constexpr std::uint32_t mac_tx_flow_ctrl(std::uint32_t q) { return 0x0070 + 4 * q; }

inline constexpr std::uint32_t kMacRxqCtrl0 = 0x00a0;  // 2 bits a queue: 0 off, 1 AV, 2 general
inline constexpr std::uint32_t kMacRxqCtrl2 = 0x00a8;  // 8 bits a queue: VLAN priorities that go to it
inline constexpr std::uint32_t kMacVersion = 0x0110;   // 7:0 version, 0x32 is 3.20; 15:8 kXgmacId
inline constexpr std::uint32_t kXgmacId = 0x76;
inline constexpr std::uint32_t kMacHwFeature0 = 0x011c;
inline constexpr std::uint32_t kMacHwFeature1 = 0x0120;
inline constexpr std::uint32_t kMacHwFeature2 = 0x0124;
inline constexpr std::uint32_t kMacTimestampControl = 0x0d00;

// MTL. Queue q's registers start at kMtlQueue + q * kMtlQueueStride.
inline constexpr std::uint32_t kMtlRxqDmaMap0 = 0x1030;  // 8 bits a queue: 3:0 the channel
inline constexpr std::uint32_t kMtlQueue = 0x1100, kMtlQueueStride = 0x80;
inline constexpr std::uint32_t kMtlTxOpMode = 0x00;  // offsets from the queue's base
inline constexpr std::uint32_t kMtlRxOpMode = 0x40;
inline constexpr std::uint32_t kMtlRxDebug = 0x48;
inline constexpr std::uint32_t kMtlRxFlowControl = 0x50;

inline constexpr std::uint32_t kTxOpTsf = 1u << 1;    // store and forward; the model does nothing else
inline constexpr std::uint32_t kTxOpTxqen = 2u << 2;  // queue on
inline constexpr std::uint32_t kRxOpRtcMask = 0x3;    // threshold: 0 64 B, 2 96, 3 128
inline constexpr std::uint32_t kRxOpEhfc = 1u << 7;   // flow control by the queue's fill level
inline constexpr std::uint32_t kRxOpRqsShift = 16, kRxOpRqsMask = 0x3ffu << 16;
inline constexpr std::uint32_t kRxFlowRfaShift = 1, kRxFlowRfaMask = 0x7fffu << 1;
inline constexpr std::uint32_t kRxFlowRfdShift = 17, kRxFlowRfdMask = 0x7fffu << 17;

// DMA.
inline constexpr std::uint32_t kDmaMode = 0x3000;
inline constexpr std::uint32_t kDmaModeIntmShift = 12, kDmaModeIntmMask = 0x3u << 12;
inline constexpr std::uint32_t kDmaSysBusMode = 0x3004;
inline constexpr std::uint32_t kSysBusUndef = 1u << 0;  // bursts of any length up to the longest
inline constexpr std::uint32_t kSysBusRdOsrShift = 16, kSysBusRdOsrMask = 0x3fu << 16;
inline constexpr std::uint32_t kSysBusWrOsrShift = 24, kSysBusWrOsrMask = 0x3fu << 24;
inline constexpr std::uint32_t kDmaIntStatus = 0x3008;
inline constexpr std::uint32_t kDmaTxEdma = 0x3040;
inline constexpr std::uint32_t kDmaRxEdma = 0x3044;

// Channel c's registers start at kDmaChannel + c * kDmaChannelStride.
inline constexpr std::uint32_t kDmaChannel = 0x3100, kDmaChannelStride = 0x80;
inline constexpr std::uint32_t kChControl = 0x00;  // offsets from the channel's base
inline constexpr std::uint32_t kChTxControl = 0x04;
inline constexpr std::uint32_t kChRxControl = 0x08;
inline constexpr std::uint32_t kChTxListHigh = 0x10;
inline constexpr std::uint32_t kChTxList = 0x14;
inline constexpr std::uint32_t kChRxListHigh = 0x18;
inline constexpr std::uint32_t kChRxList = 0x1c;
inline constexpr std::uint32_t kChTxTail = 0x24;
inline constexpr std::uint32_t kChRxTail = 0x2c;
inline constexpr std::uint32_t kChTxRingLength = 0x30;  // entries minus 1
inline constexpr std::uint32_t kChRxRingLength = 0x34;
inline constexpr std::uint32_t kChIntEnable = 0x38;
inline constexpr std::uint32_t kChRxWatchdog = 0x3c;
inline constexpr std::uint32_t kChCurTxDesc = 0x44;
inline constexpr std::uint32_t kChCurRxDesc = 0x4c;
inline constexpr std::uint32_t kChStatus = 0x60;  // write 1 to clear

}  // namespace ringside::dwmac::xgmac
