// What programs ask of the engine by options.
#pragma once

#include <map>
#include <string>

namespace opweld::npu::graph {

using Options = std::map<std::string, std::string, std::less<>>;

// Throws a GraphError that names an option which asks for something that the engine does not do, such as the
// dump of every node's data. Options that only say how fast a device shall be are taken and have no effect.
void check_options(const Options& options);

}  // namespace opweld::npu::graph
