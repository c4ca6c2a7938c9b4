#include "model/core/image.h"

#include <fmt/format.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/Symbolize/Symbolize.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Object/ELFObjectFile.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "model/base/errors.h"
#include "model/guest/contract.h"

namespace ringside {

namespace {

using Elf = llvm::object::ELF64LEObjectFile;

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw InputError(fmt::format("{}: {}; a guest image is a statically linked 64-bit ELF executable for x86-64 or AArch64",
                               path, what));
}

std::string display_name(const std::string& symbol) {
  const std::string plain = symbol.substr(0, symbol.find('.', 1));
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(plain.c_str())) return plain;
  std::size_t size = 0;
  char* base = demangler.getFunctionBaseName(nullptr, &size);
  if (base == nullptr) return plain;
  std::string result = base;
  std::free(base);
  return result;
}

Architecture machine_of(const std::string& path, const Elf& elf) {
  switch (elf.getELFFile().getHeader().e_machine) {
    case llvm::ELF::EM_X86_64: return Architecture::x86_64;
    case llvm::ELF::EM_AARCH64: return Architecture::aarch64;
    default:
      fail(path, fmt::format("ELF machine {}",
                             static_cast<unsigned>(elf.getELFFile().getHeader().e_machine)));
  }
}

std::vector<GuestFunction> functions_of(const Elf& elf) {
  std::vector<GuestFunction> functions;
  for (const auto& symbol : elf.symbols()) {
    auto type = symbol.getType();
    auto name = symbol.getName();
    auto address = symbol.getAddress();
    const bool usable = type && name && address && *type == llvm::object::SymbolRef::ST_Function;
    if (usable) functions.push_back({*address, llvm::object::ELFSymbolRef(symbol).getSize(), display_name(name->str()), {}});
    if (!type) llvm::consumeError(type.takeError());
    if (!name) llvm::consumeError(name.takeError());
    if (!address) llvm::consumeError(address.takeError());
  }
  std::sort(functions.begin(), functions.end(), [](const GuestFunction& a, const GuestFunction& b) {
    return std::tie(a.address, a.name) < std::tie(b.address, b.name);
  });
  return functions;
}

// Gives functions of the same name the same number. Returns the names by number.
std::vector<std::string> number_functions(std::vector<GuestFunction>& functions) {
  std::vector<std::string> names{"[unknown]"};
  std::map<std::string, FunctionId> ids;
  for (GuestFunction& function : functions) {
    const auto [known, is_new] = ids.try_emplace(function.name, static_cast<FunctionId>(names.size()));
    if (is_new) names.push_back(function.name);
    function.id = known->second;
  }
  return names;
}

// The producer of the first compilation unit, without the switches that gcc records in it.
std::string compiler_of(const Elf& elf) {
  const auto context = llvm::DWARFContext::create(elf);
  for (const auto& unit : context->compile_units()) {
    const std::string producer = llvm::dwarf::toString(unit->getUnitDIE().find(llvm::dwarf::DW_AT_producer), "");
    return producer.substr(0, producer.find(" -"));
  }
  return "";
}

}  // namespace

struct Image::Symbolizer {
  static llvm::symbolize::LLVMSymbolizer::Options options() {
    llvm::symbolize::LLVMSymbolizer::Options options;
    options.Demangle = false;
    return options;
  }

  // The innermost of inlined functions first; nothing for an address without source.
  std::optional<llvm::DIInliningInfo> frames(const std::string& path, std::uint64_t address) {
    auto frames = llvm.symbolizeInlinedCode(path, {address, llvm::object::SectionedAddress::UndefSection});
    if (!frames) llvm::consumeError(frames.takeError());
    if (!frames || frames->getNumberOfFrames() == 0 || frames->getFrame(0).Line == 0) return std::nullopt;
    return *frames;
  }

  llvm::symbolize::LLVMSymbolizer llvm{options()};
};

Image::Image(const std::string& path, PhysAddr ram_end) : path_(path), symbolizer_(std::make_unique<Symbolizer>()) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) throw InputError(fmt::format("{}: cannot read the guest image: {}", path, buffer.getError().message()));
  auto object = llvm::object::ObjectFile::createELFObjectFile((*buffer)->getMemBufferRef());
  if (!object) fail(path, "not an ELF file: " + llvm::toString(object.takeError()));
  const auto* elf = llvm::dyn_cast<Elf>(object->get());
  if (elf == nullptr) fail(path, "an ELF file of another word size or byte order");
  architecture_ = machine_of(path, *elf);
  const auto& header = elf->getELFFile().getHeader();
  if (header.e_type != llvm::ELF::ET_EXEC) fail(path, "not an executable (ELF type is not ET_EXEC)");
  entry_ = header.e_entry;

  auto program_headers = elf->getELFFile().program_headers();
  if (!program_headers) fail(path, "damaged program headers: " + llvm::toString(program_headers.takeError()));
  const std::uint64_t low = guest::kRamBase + 0x10'0000;
  for (const auto& segment : *program_headers) {
    if (segment.p_type != llvm::ELF::PT_LOAD || segment.p_memsz == 0) continue;
    const std::uint64_t begin = segment.p_paddr;
    const std::uint64_t end = begin + segment.p_memsz;
    if (begin < low || end > ram_end.value || end < begin || segment.p_filesz > segment.p_memsz) {
      throw InputError(fmt::format("{}: segment {:#x}..{:#x} lies outside the guest's memory; allowed is {:#x}..{:#x}", path,
                                   begin, end, low, ram_end.value));
    }
    auto contents = elf->getELFFile().getSegmentContents(segment);
    if (!contents) fail(path, "a segment is cut short: " + llvm::toString(contents.takeError()));
    segments_.push_back({begin, segment.p_memsz, {contents->begin(), contents->end()}});
    end_ = std::max(end_, end);
    if ((segment.p_flags & llvm::ELF::PF_X) != 0) {
      text_begin_ = text_end_ == 0 ? begin : std::min(text_begin_, begin);
      text_end_ = std::max(text_end_, end);
    }
  }
  if (!contains_code(entry_)) fail(path, fmt::format("entry point {:#x} is not in executable code", entry_));
  functions_ = functions_of(*elf);
  function_names_ = number_functions(functions_);
  compiler_ = compiler_of(*elf);
}

Image::~Image() = default;

void Image::load(PhysicalMemory& memory) const {
  for (const Segment& segment : segments_) {
    std::uint8_t* const to = memory.host(PhysAddr{segment.address});
    std::uint8_t* const rest = std::copy(segment.bytes.begin(), segment.bytes.end(), to);
    std::fill(rest, to + segment.memory_size, std::uint8_t{0});
  }
}

const GuestFunction* Image::find_function(std::uint64_t address) const {
  auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                [](std::uint64_t a, const GuestFunction& f) { return a < f.address; });
  if (after == functions_.begin()) return nullptr;
  const GuestFunction& candidate = *std::prev(after);
  return address < candidate.address + std::max<std::uint64_t>(candidate.size, 1) ? &candidate : nullptr;
}

std::optional<SourceLocation> Image::source(std::uint64_t address) const {
  const auto frames = symbolizer_->frames(path_, address);
  if (!frames) return std::nullopt;
  const llvm::DILineInfo& inner = frames->getFrame(0);
  return SourceLocation{std::filesystem::path(inner.FileName).lexically_normal().string(), inner.Line,
                        frames->getNumberOfFrames() == 1 ? "" : display_name(inner.FunctionName)};
}

std::optional<std::string> Image::source_line(std::uint64_t address) const {
  const auto frames = symbolizer_->frames(path_, address);
  if (!frames) return std::nullopt;
  const auto line_of = [&](std::uint32_t frame) {
    const llvm::DILineInfo& info = frames->getFrame(frame);
    return fmt::format("{}:{}", std::filesystem::path(info.FileName).filename().string(), info.Line);
  };
  const std::uint32_t count = frames->getNumberOfFrames();
  return count == 1 ? line_of(0) : fmt::format("{} in {}", line_of(0), line_of(count - 1));
}

std::string Image::describe(std::uint64_t address) const {
  const GuestFunction* function = find_function(address);
  const std::string where =
      function != nullptr ? fmt::format("{}+{:#x}", function->name, address - function->address) : fmt::format("{:#x}", address);
  const auto line = source_line(address);
  return line ? fmt::format("{} ({})", where, *line) : where;
}

}  // namespace ringside
