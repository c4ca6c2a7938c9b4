// Register bits that EQOS and XGMAC share. Freestanding. Offsets are in eqos_regs.h and xgmac_regs.h.
#pragma once

#include <cstdint>

namespace ringside::dwmac {

// MAC packet filter.
inline constexpr std::uint32_t kFilterPr = 1u << 0;   // promiscuous
inline constexpr std::uint32_t kFilterPm = 1u << 4;   // pass all multicast
inline constexpr std::uint32_t kFilterDbf = 1u << 5;  // drop broadcast
inline constexpr std::uint32_t kFilterRa = 1u << 31;  // receive all; the descriptor says what the filter thinks

// MAC address 0: high holds bytes 4 and 5 in 15:0, low bytes 0 to 3, first byte in the lowest bits.
inline constexpr std::uint32_t kMacAddress0High = 0x0300, kMacAddress0Low = 0x0304;
inline constexpr std::uint32_t kAddressEnable = 1u << 31;

// Flow control.
inline constexpr std::uint32_t kRxFlowRfe = 1u << 0;  // obey received PAUSE
inline constexpr std::uint32_t kTxFlowTfe = 1u << 1;  // send PAUSE
inline constexpr std::uint32_t kTxFlowPltShift = 4, kTxFlowPltMask = 0x7u << 4;
inline constexpr std::uint32_t kTxFlowPtShift = 16;  // pause time in quanta of 512 bit times

// Hardware features 0.
inline constexpr std::uint32_t kFeature0TxCoe = 1u << 14;
inline constexpr std::uint32_t kFeature0RxCoe = 1u << 16;
// Hardware features 1: FIFO size 128 << n.
inline constexpr std::uint32_t kFeature1RxFifoMask = 0x1f, kFeature1TxFifoShift = 6;
inline constexpr std::uint32_t kFeature1Sphen = 1u << 17;
// Hardware features 2: numbers minus 1.
inline constexpr std::uint32_t kFeature2RxQueuesMask = 0xf, kFeature2TxQueuesShift = 6;
inline constexpr std::uint32_t kFeature2RxChannelsShift = 12, kFeature2TxChannelsShift = 18;

// Timestamp control.
inline constexpr std::uint32_t kTimestampEnable = 1u << 0;
inline constexpr std::uint32_t kTimestampAll = 1u << 8;  // of every received frame

// MTL receive operation mode.
inline constexpr std::uint32_t kRxOpFup = 1u << 3;       // forward good frames shorter than 64 bytes
inline constexpr std::uint32_t kRxOpFep = 1u << 4;       // forward frames with errors
inline constexpr std::uint32_t kRxOpRsf = 1u << 5;       // store and forward
inline constexpr std::uint32_t kRxOpDisTcpEf = 1u << 6;  // forward frames whose only error is a checksum's

// MTL receive debug.
inline constexpr std::uint32_t kRxDebugRwc = 1u << 0;  // the write side is active
inline constexpr std::uint32_t kRxDebugLevelShift = 4;  // 0 empty, 1 below RFD, 2 above RFA, 3 full
inline constexpr std::uint32_t kRxDebugCountShift = 16;

// DMA mode and system bus mode.
inline constexpr std::uint32_t kDmaModeSwr = 1u << 0;  // software reset; reads as 1 until it is done
inline constexpr std::uint32_t kSysBusEame = 1u << 11;
inline constexpr std::uint32_t kSysBusAal = 1u << 12;
inline constexpr std::uint32_t kSysBusBlenShift = 1, kSysBusBlenMask = 0x7fu << 1;  // 4, 8, ..., 256 beats

// Channel control, transmit control, receive control.
inline constexpr std::uint32_t kChControlPblx8 = 1u << 16;
inline constexpr std::uint32_t kChControlSph = 1u << 24;
inline constexpr std::uint32_t kChPblShift = 16, kChPblMask = 0x3fu << 16;
inline constexpr std::uint32_t kChTxSt = 1u << 0;
inline constexpr std::uint32_t kChTxOsp = 1u << 4;  // work on a second frame before the first one's status
inline constexpr std::uint32_t kChRxSr = 1u << 0;
inline constexpr std::uint32_t kChRxRbszShift = 1, kChRxRbszMask = 0x3fffu << 1;

// Receive watchdog.
inline constexpr std::uint32_t kRwtMask = 0xff;  // units of 256 clocks; 0: off

// Channel status and interrupt enable. Status bits are set whether or not they are enabled.
inline constexpr std::uint32_t kIntTi = 1u << 0;    // a frame was sent
inline constexpr std::uint32_t kIntTps = 1u << 1;   // transmit stopped
inline constexpr std::uint32_t kIntTbu = 1u << 2;   // no transmit descriptor
inline constexpr std::uint32_t kIntRi = 1u << 6;    // a frame was received
inline constexpr std::uint32_t kIntRbu = 1u << 7;   // no receive descriptor
inline constexpr std::uint32_t kIntRps = 1u << 8;   // receive stopped
inline constexpr std::uint32_t kIntFbe = 1u << 12;  // fatal bus error
inline constexpr std::uint32_t kIntAis = 1u << 14;  // summaries, in the status
inline constexpr std::uint32_t kIntNis = 1u << 15;
inline constexpr std::uint32_t kIntAie = 1u << 14;  // and their enables, all cores but EQOS before 4.10
inline constexpr std::uint32_t kIntNie = 1u << 15;

// Interrupt lines of the device, as vectors of the board: one for everything (INTM 0), or one per channel and direction.
inline constexpr std::uint32_t kCommonVector = 0;
constexpr std::uint32_t rx_vector(std::uint32_t channel) { return 1 + 2 * channel; }
constexpr std::uint32_t tx_vector(std::uint32_t channel) { return 2 + 2 * channel; }

// Register window.
inline constexpr std::uint32_t kRegisterWindow = 0x8000;

}  // namespace ringside::dwmac
