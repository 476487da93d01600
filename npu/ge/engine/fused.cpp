#include "npu/ge/engine/fused.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <exception>
#include <mutex>

#include "npu/ge/engine/guarded.h"
#include "npu/kernels/parallel.h"
#include "npu/kernels/scope.h"

namespace opweld::npu::graph {
namespace {

// How the output is cut: along dimension 0 of this shape.
struct Cut {
    std::vector<int64_t> shape;
    int64_t rows;         // of all
    int64_t rows_a_time;  // of a chunk
};

bool is_full(const at::Tensor& tensor, const at::Tensor& form) {
    return tensor.sizes() == form.sizes() && tensor.is_contiguous();
}

// A tensor that broadcasts along all dimensions but the last.
bool is_row(const at::Tensor& tensor) { return tensor.dim() == 0 || tensor.numel() == tensor.size(-1); }

// Whether every argument can be seen as [rows, last dimension].
bool can_flatten(const std::vector<FusedMember>& members, const at::Tensor& form) {
    for (const FusedMember& member : members) {
        if (!member.call.op().pointwise) {
            return form.dim() == 2;
        }
        for (size_t a = 0; a < member.from.size(); ++a) {
            for (size_t k = 0; k < member.from[a].size(); ++k) {
                const at::Tensor& tensor = member.call.arguments()[a].tensors[k];
                if (member.from[a][k] < 0 && !is_full(tensor, form) && !is_row(tensor)) {
                    return false;
                }
            }
        }
    }
    return true;
}

Cut choose_cut(const std::vector<FusedMember>& members) {
    const at::Tensor& form = members.back().form;
    Cut cut;
    cut.shape = form.sizes().vec();
    if (form.dim() > 2 && can_flatten(members, form)) {
        cut.shape = {form.numel() / form.size(-1), form.size(-1)};
    }
    cut.rows = cut.shape.front();
    const int64_t row = form.numel() / cut.rows;
    constexpr int64_t kProductElements = 8 * kFusedElements;  // fewer rows make a matrix product slow
    const bool product = !members.front().call.op().pointwise;
    cut.rows_a_time = std::clamp<int64_t>(
        (product ? kProductElements : kFusedElements) / std::max<int64_t>(row, 1), 1, cut.rows);
    return cut;
}

// The part of an argument that belongs to rows [begin, begin + count).
at::Tensor part(const at::Tensor& tensor, const at::Tensor& form, const Cut& cut, int64_t begin,
                int64_t count) {
    if (is_full(tensor, form)) {
        return tensor.view(cut.shape).narrow(0, begin, count);
    }
    if (cut.shape.size() != static_cast<size_t>(form.dim())) {
        return tensor.dim() == 0 ? tensor : tensor.reshape({tensor.size(-1)});
    }
    if (tensor.dim() == form.dim() && tensor.size(0) == cut.rows && cut.rows > 1) {
        return tensor.narrow(0, begin, count);
    }
    return tensor;
}

}  // namespace

bool gives_rows(const Call& call) {
    const std::string_view type = call.op().type;
    if (type != "MatMul" && type != "MatMulV2") {
        return false;
    }
    const auto& arguments = call.arguments();
    const bool transposed = call.bool_attribute(0);
    return !transposed && arguments[0].tensors.front().dim() == 2 &&
           arguments[1].tensors.front().dim() == 2 &&
           (arguments[2].tensors.empty() || arguments[2].tensors.front().dim() == 1);
}

struct Fused::Lane {
    struct Piece {
        Call call;
        std::vector<at::Tensor> output;
    };
    std::vector<std::vector<Piece>> chunks;
    std::vector<at::Tensor> tiles;  // the results of all members but the last

    void run() {
        for (auto& pieces : chunks) {
            for (Piece& piece : pieces) {
                guarded_run(piece.call, [&] { piece.call.op().write(piece.call, piece.output); });
            }
        }
    }
};

Fused::Fused(std::vector<FusedMember> members) {
    for (const FusedMember& member : members) {
        nodes_.push_back(member.call.node().name);
    }
    const at::Tensor& form = members.back().form;
    const Cut cut = choose_cut(members);
    const int64_t chunk_count = (cut.rows + cut.rows_a_time - 1) / cut.rows_a_time;
    const int64_t lanes = std::min<int64_t>(at::get_num_threads(), chunk_count);
    for (int64_t l = 0; l < lanes; ++l) {
        auto lane = std::make_unique<Lane>();
        std::vector<int64_t> tile_shape = cut.shape;
        tile_shape.front() = cut.rows_a_time;
        for (size_t m = 0; m + 1 < members.size(); ++m) {
            lane->tiles.push_back(at::empty(tile_shape, members[m].form.scalar_type()));
        }
        for (int64_t chunk = chunk_count * l / lanes; chunk < chunk_count * (l + 1) / lanes; ++chunk) {
            const int64_t begin = chunk * cut.rows_a_time;
            const int64_t count = std::min(cut.rows_a_time, cut.rows - begin);
            auto& pieces = lane->chunks.emplace_back();
            for (size_t m = 0; m < members.size(); ++m) {
                const FusedMember& member = members[m];
                Lane::Piece piece{.call = member.call, .output = {}};
                const bool product = !member.call.op().pointwise;
                for (size_t a = 0; a < member.from.size(); ++a) {
                    for (size_t k = 0; k < member.from[a].size(); ++k) {
                        at::Tensor& tensor = piece.call.arguments()[a].tensors[k];
                        if (const int from = member.from[a][k]; from >= 0) {
                            tensor = lane->tiles[static_cast<size_t>(from)].narrow(0, 0, count);
                        } else if (product) {
                            tensor = a == 0 ? tensor.narrow(0, begin, count) : tensor;
                        } else {
                            tensor = part(tensor, form, cut, begin, count);
                        }
                    }
                }
                piece.output.push_back(m + 1 == members.size() ? part(member.output, form, cut, begin, count)
                                                               : lane->tiles[m].narrow(0, 0, count));
                pieces.push_back(std::move(piece));
            }
        }
        lanes_.push_back(std::move(lane));
    }
    for (size_t m = 0; m + 1 < members.size(); ++m) {
        cached_bytes_ += members[m].form.nbytes();
    }
}

Fused::~Fused() = default;

size_t Fused::chunks() const noexcept {
    size_t all = 0;
    for (const auto& lane : lanes_) {
        all += lane->chunks.size();
    }
    return all;
}

void Fused::run() const {
    if (lanes_.size() == 1) {
        lanes_.front()->run();
        return;
    }
    std::exception_ptr first;
    std::mutex mutex;
    kernels::parallel_for(0, static_cast<int64_t>(lanes_.size()), 1, [&](int64_t begin, int64_t end) {
        const kernels::KernelScope scope;
        for (int64_t lane = begin; lane < end; ++lane) {
            try {
                lanes_[static_cast<size_t>(lane)]->run();
            } catch (...) {
                const std::scoped_lock lock(mutex);
                first = first ? first : std::current_exception();
            }
        }
    });
    if (first) {
        std::rethrow_exception(first);
    }
}

}  // namespace opweld::npu::graph
