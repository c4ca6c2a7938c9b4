#include "driver/net/reader.h"

#include "driver/net/tcp.h"
#include "model/guest/stream.h"

constexpr u32 READ_SIZE = 128 * 1024;  // bytes asked for at a time, iperf's default

struct tcp_reader {
  task_struct task;
  tcp_sock* sk;
  u8* buf;
  u64 position;  // in the stream
};

tcp_reader_stats reader_stats;
static bool verify_stream;

#ifdef CONFIG_SMP
static u32 reader_cpu;

void tcp_readers_run_on(u32 cpu) {
  if (cpu >= nr_cpu_ids) panic("no such processor for processes that read sockets");
  reader_cpu = cpu;
}
#else
constexpr u32 reader_cpu = 0;
#endif

static noinline void verify(const tcp_reader* reader, u32 len) {
  for (u32 i = 0; i < len;) {
    const u64 at = reader->position + i;
    u64 word;
    if (at % sizeof(word) == 0 && len - i >= sizeof(word)) {
      __builtin_memcpy(&word, reader->buf + i, sizeof(word));
      if (likely(word == ringside::guest::stream_word(at / sizeof(word)))) {
        i += sizeof(word);
        continue;
      }
    }
    if (reader->buf[i] != ringside::guest::stream_byte(at)) {
      if (reader_stats.corrupt_bytes++ == 0) reader_stats.corrupt_first = at;
    }
    i++;
  }
}

// Reads until there is nothing to read, or somebody else wants to run.
static void reader_turn(task_struct* task) {
  tcp_reader* reader = container_of(task, tcp_reader, task);
  for (;;) {
    const u32 len = tcp_recvmsg(reader->sk, reader->buf, READ_SIZE, task);
    if (len == 0) return;
    reader_stats.bytes += len;
    reader_stats.calls++;
    if (verify_stream) verify(reader, len);
    reader->position += len;
    if (need_resched()) return wake_up_process(task);
  }
}

void tcp_readers_start(u32 flows, bool verify) {
  reader_stats = {};
  verify_stream = verify;
  tcp_reader* readers = memblock_alloc_array<tcp_reader>(flows);
  for (u32 flow = 0; flow < flows; flow++) {
    tcp_reader* reader = &readers[flow];
    task_init(&reader->task, reader_turn);
    set_task_cpu(&reader->task, reader_cpu);
    reader->sk = tcp_socket(flow);
    reader->buf = static_cast<u8*>(memblock_alloc(READ_SIZE, PAGE_SIZE));
    wake_up_process(&reader->task);
  }
}
