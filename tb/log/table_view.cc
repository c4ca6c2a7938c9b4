#include "tb/log/table_view.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "tb/log/output.h"
#include "tb/log/packet_view.h"
#include "tb/log/verdict_book.h"

namespace ringside {
namespace {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

// Keeps the order of packets: a line is written when it and all before it are known.
class TableView final : public PacketView, private VerdictListener {
 public:
  TableView(const LogReader& reader, LogWindow window, const std::filesystem::path& file)
      : PacketView(reader, window), output_(file), verdicts_(*this) {
    output_.print("packet,bytes,start_ps,end_ps,total_ps");
    for (std::size_t i = 0; i < kStages; ++i) output_.print(",{}_ps", name(static_cast<Stage>(i)));
    output_.print(",fate,verdict,drop_cause,waited_for\n");
  }

  void start(const BlockStart& start) override {
    PacketView::start(start);
    verdicts_.start(start);
    first_ = start.frames;
  }
  void frame(const LoggedFrame& frame) override {
    if (rows_.size() == kMostRows) verdicts_.give_up();
    rows_.emplace_back();
    if (in_window(frame.end)) ++missing_;
    PacketView::frame(frame);
  }
  void ended(Time, std::uint64_t string, std::uint64_t count) override { verdicts_.ended(string, count); }
  bool wants_more() const override { return missing_ != 0; }

  std::uint64_t finish() {
    const Time over{reader_.directory().totals.simulated};
    history_.finish(over);
    verdicts_.give_up();
    output_.commit();
    return lines_;
  }

 private:
  static constexpr std::size_t kMostRows = 1 << 18;  // that wait for a verdict or the packet's end

  struct Row {
    PacketLife life;
    bool closed = false;
    bool decided = false;
    std::optional<std::uint64_t> verdict;
  };

  void closed(const PacketLife& life) override {
    if (life.fate == Fate::delivered) verdicts_.delivered(life.sequence);
    Row& row = rows_[life.sequence - first_];
    row.life = life;
    row.closed = true;
    row.decided = row.decided || life.fate != Fate::delivered;
    write_known();
  }

  void decided(std::uint64_t packet, std::optional<std::uint64_t> verdict) override {
    if (packet < first_) return;
    Row& row = rows_[packet - first_];
    row.decided = true;
    row.verdict = verdict;
    write_known();
  }

  void write_known() {
    for (; !rows_.empty() && rows_.front().closed && rows_.front().decided; rows_.pop_front(), ++first_) {
      if (!in_window(rows_.front().life.arrival)) continue;
      --missing_;
      write(rows_.front());
    }
  }

  void write(const Row& row) {
    const PacketLife& p = row.life;
    ++lines_;
    output_.print("{},{},{},{},{}", p.sequence, p.size, p.begin.value, p.end.value, (p.end - p.begin).value);
    for (const Time stage : p.stages) output_.print(",{}", stage.value);
    const auto text_of = [this](std::optional<std::uint64_t> string) {
      return string ? csv_field(reader_.name_of(*string)) : std::string();
    };
    const auto cause = p.fate == Fate::dropped ? std::optional(p.cause) : std::nullopt;
    output_.print(",{},{},{},{}\n", name(p.fate), text_of(row.verdict), text_of(cause),
                  p.waited_for ? name(*p.waited_for, reader_.head()) : "");
  }

  Output output_;
  VerdictBook verdicts_;
  std::deque<Row> rows_;  // from first_ on
  std::uint64_t first_ = 0;
  std::uint64_t missing_ = 0;  // of the window
  std::uint64_t lines_ = 0;
};

}  // namespace

std::uint64_t write_table(const LogReader& reader, LogWindow window, const std::filesystem::path& file) {
  TableView view(reader, window, file);
  reader.replay(view, window);
  return view.finish();
}

}  // namespace ringside
