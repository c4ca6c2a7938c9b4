// Which of its forms the driver is built in. Both macros are constants in images; the expressions that test them fold away.
//
// STMMAC_RX    how far the receive path has come. Each step contains those before it.
// STMMAC_FAULT one mistake that a public version of the driver made, or none.
#pragma once

enum stmmac_rx_step : int {
  STMMAC_RX_COPY,              // packets are copied into buffers of the stack, and pages go back at once
  STMMAC_RX_ZERO_COPY,         // packets are built on the page that the device wrote
  STMMAC_RX_ZERO_COPY_MAX_LEN, // pages are cleaned only as far as the device may write
  STMMAC_RX_PREFETCH,          // headers are prefetched after they were invalidated, not before
  STMMAC_RX_NET_PREFETCH,      // two lines of them
};

enum stmmac_fault : int {
  STMMAC_FAULT_NONE,
  STMMAC_FAULT_BUF2_UNALLOCATED,     // long frames spill into a second buffer that has no memory
  STMMAC_FAULT_XDP_MULTI_BUFFER,     // the program is run on every buffer of a long frame
  STMMAC_FAULT_CUR_LAPS_DIRTY,       // entries that could not be refilled are taken for received ones
  STMMAC_FAULT_REFILL_NOT_RETRIED,   // polling ends although the ring could not be refilled
  STMMAC_FAULT_SPH_SYNC_WINDOW,      // split header: payload pages are synchronised from the headroom on
  STMMAC_FAULT_OWNER_WRITTEN_TWICE,  // the DMA may own a descriptor before its flags are complete
  STMMAC_FAULT_LIMIT_IS_RING,        // one poll may consume the whole ring
  STMMAC_FAULT_BUDGET_PER_PIECE,     // pieces of a frame without memory count, past the budget
  STMMAC_FAULT_IRQ_BEFORE_NAPI,      // interrupts are unmasked before NAPI can be scheduled
  STMMAC_FAULT_SHORT_FRAME,          // the FCS is cut off frames that are shorter than it
  STMMAC_FAULT_BUF2_ALWAYS_VALID,    // the second buffer is announced without being there
  STMMAC_FAULT_FCS_PER_PIECE,        // the FCS is cut off every piece of a frame
  STMMAC_FAULT_HEADER_LEN_UNCHECKED, // XGMAC: the header length counts even if no header was found
  STMMAC_FAULT_BUDGET_PER_DESC,      // descriptors count, not frames
  STMMAC_FAULT_DESC_NOT_CLEARED,     // descriptors keep what they last said when a ring starts again
  STMMAC_FAULT_TAIL_NOT_WRITTEN,     // the device does not hear of refilled descriptors
  STMMAC_FAULT_SYNC_OLD_BUFFER,      // copying: the page that was read is cleaned, not the one that the device gets
  STMMAC_FAULT_SYNC_ONLY_XDP,        // pages are not cleaned for the device without a program
};

#ifndef STMMAC_RX
#define STMMAC_RX STMMAC_RX_NET_PREFETCH
#endif

#ifndef STMMAC_FAULT
#define STMMAC_FAULT STMMAC_FAULT_NONE
#endif
