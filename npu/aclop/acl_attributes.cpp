// Entry points: an operator's attributes.
#include "npu/aclop/acl_op.h"
#include "npu/aclop/boundary.h"
#include "npu/aclop/objects.h"

namespace {

using opweld::npu::aclop::DataType;
using opweld::npu::aclop::entry;
using opweld::npu::aclop::kInvalidParam;
using opweld::npu::aclop::raise;
using opweld::npu::aclop::required;

template <class Make>
int set(const char* function, aclopAttr* attributes, const char* name, Make&& make) {
    return entry(function, [&] {
        auto& values = required(attributes, "attr").values;
        values.insert_or_assign(&required(name, "attrName"), make());
    });
}

template <class To, class From>
std::vector<To> list_of(int size, const From* values) {
    if (size < 0) {
        raise(kInvalidParam, "the number of values is {}; it must not be negative", size);
    }
    if (size == 0) {
        return {};
    }
    const From* first = &required(values, "values");
    return std::vector<To>(first, first + size);
}

}  // namespace

extern "C" {

aclopAttr* aclopCreateAttr() {
    aclopAttr* created = nullptr;
    entry("aclopCreateAttr", [&] { created = new aclopAttr; });
    return created;
}

void aclopDestroyAttr(const aclopAttr* attributes) { delete attributes; }

int aclopSetAttrBool(aclopAttr* attributes, const char* name, uint8_t value) {
    return set("aclopSetAttrBool", attributes, name, [&] { return value != 0; });
}

int aclopSetAttrInt(aclopAttr* attributes, const char* name, int64_t value) {
    return set("aclopSetAttrInt", attributes, name, [&] { return value; });
}

int aclopSetAttrFloat(aclopAttr* attributes, const char* name, float value) {
    return set("aclopSetAttrFloat", attributes, name, [&] { return value; });
}

int aclopSetAttrString(aclopAttr* attributes, const char* name, const char* value) {
    return set("aclopSetAttrString", attributes, name,
               [&] { return std::string(&required(value, "attrValue")); });
}

int aclopSetAttrDataType(aclopAttr* attributes, const char* name, int value) {
    return set("aclopSetAttrDataType", attributes, name, [&] { return DataType{value}; });
}

int aclopSetAttrListBool(aclopAttr* attributes, const char* name, int size, const uint8_t* values) {
    return set("aclopSetAttrListBool", attributes, name, [&] { return list_of<bool>(size, values); });
}

int aclopSetAttrListInt(aclopAttr* attributes, const char* name, int size, const int64_t* values) {
    return set("aclopSetAttrListInt", attributes, name, [&] { return list_of<int64_t>(size, values); });
}

int aclopSetAttrListFloat(aclopAttr* attributes, const char* name, int size, const float* values) {
    return set("aclopSetAttrListFloat", attributes, name, [&] { return list_of<float>(size, values); });
}

int aclopSetAttrListListInt(aclopAttr* attributes, const char* name, int size, const int* sizes,
                            const int64_t* const values[]) {
    return set("aclopSetAttrListListInt", attributes, name, [&] {
        const auto rows = list_of<int>(size, sizes);
        std::vector<std::vector<int64_t>> lists;
        for (size_t row = 0; row < rows.size(); ++row) {
            lists.push_back(list_of<int64_t>(rows[row], (&required(values, "values"))[row]));
        }
        return lists;
    });
}
}
