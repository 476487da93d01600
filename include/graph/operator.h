// An operator of a graph: what prototypes register themselves with, and what InferShape functions are given.
//
// One object is for one thread at a time. Copies share what they stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"
#include "graph/tensor.h"
#include "graph/tensor_type.h"
#include "graph/types.h"

namespace ge {

class OPWELD_GE_API Operator {
  public:
    // Types of attributes, as REG_OP names them.
    using OpInt = std::int64_t;
    using OpFloat = float;
    using OpBool = bool;
    using OpString = AscendString;
    using OpType = DataType;
    using OpTensor = Tensor;
    using OpBytes = std::vector<std::uint8_t>;
    using OpListInt = std::vector<std::int64_t>;
    using OpListFloat = std::vector<float>;
    using OpListBool = std::vector<bool>;
    using OpListString = std::vector<AscendString>;
    using OpListType = std::vector<DataType>;
    using OpListTensor = std::vector<Tensor>;
    using OpListListInt = std::vector<std::vector<std::int64_t>>;

    using InferShapeFunc = std::function<graphStatus(Operator&)>;
    using InferFormatFunc = std::function<graphStatus(Operator&)>;
    using VerifyFunc = std::function<graphStatus(Operator&)>;

    // Stands for no operator.
    Operator() = default;
    explicit Operator(const char* type);
    Operator(const char* name, const char* type);
    Operator(const AscendString& name, const AscendString& type);
    explicit Operator(const std::string& type);
    Operator(const std::string& name, const std::string& type);
    virtual ~Operator() = default;

    bool IsEmpty() const;
    graphStatus GetName(AscendString& name) const;
    graphStatus GetOpType(AscendString& type) const;
    std::string GetName() const;
    std::string GetOpType() const;

    // Inputs and outputs are counted and numbered as they are there: optional ones that are left out are not,
    // each part of a dynamic one is. A description of one that is not there is empty.
    std::size_t GetInputsSize() const;
    std::size_t GetOutputsSize() const;
    TensorDesc GetInputDesc(std::uint32_t index) const;
    TensorDesc GetInputDesc(const std::string& name) const;
    TensorDesc GetInputDescByName(const char* name) const;
    TensorDesc GetOutputDesc(std::uint32_t index) const;
    TensorDesc GetOutputDesc(const std::string& name) const;
    TensorDesc GetOutputDescByName(const char* name) const;
    // Fails where there is no such input: an optional one that is left out.
    graphStatus TryGetInputDesc(const char* name, TensorDesc& desc) const;
    graphStatus TryGetInputDesc(const std::string& name, TensorDesc& desc) const;
    graphStatus UpdateInputDesc(const char* name, const TensorDesc& desc);
    graphStatus UpdateInputDesc(const std::string& name, const TensorDesc& desc);
    graphStatus UpdateOutputDesc(const char* name, const TensorDesc& desc);
    graphStatus UpdateOutputDesc(const std::string& name, const TensorDesc& desc);
    graphStatus UpdateOutputDesc(std::uint32_t index, const TensorDesc& desc);

    // The parts of a dynamic input or output; -1 parts where it has none.
    int GetDynamicInputNum(const char* name) const;
    int GetDynamicInputNum(const std::string& name) const;
    TensorDesc GetDynamicInputDesc(const char* name, std::uint32_t index) const;
    TensorDesc GetDynamicInputDesc(const std::string& name, std::uint32_t index) const;
    graphStatus UpdateDynamicInputDesc(const char* name, std::uint32_t index, const TensorDesc& desc);
    int GetDynamicOutputNum(const char* name) const;
    int GetDynamicOutputNum(const std::string& name) const;
    TensorDesc GetDynamicOutputDesc(const char* name, std::uint32_t index) const;
    TensorDesc GetDynamicOutputDesc(const std::string& name, std::uint32_t index) const;
    graphStatus UpdateDynamicOutputDesc(const char* name, std::uint32_t index, const TensorDesc& desc);
    graphStatus UpdateDynamicOutputDesc(const std::string& name, std::uint32_t index, const TensorDesc& desc);

    // Fails where the input is no constant of the graph.
    graphStatus GetInputConstData(const char* name, Tensor& data) const;
    graphStatus GetInputConstData(const std::string& name, Tensor& data) const;

    // Fails where there is no such attribute, or one of another type.
    graphStatus GetAttr(const char* name, std::int64_t& value) const;
    graphStatus GetAttr(const char* name, std::int32_t& value) const;
    graphStatus GetAttr(const char* name, std::uint32_t& value) const;
    graphStatus GetAttr(const char* name, float& value) const;
    graphStatus GetAttr(const char* name, bool& value) const;
    graphStatus GetAttr(const char* name, AscendString& value) const;
    graphStatus GetAttr(const char* name, DataType& value) const;
    graphStatus GetAttr(const char* name, Tensor& value) const;
    graphStatus GetAttr(const char* name, std::vector<std::uint8_t>& value) const;
    graphStatus GetAttr(const char* name, std::vector<std::int64_t>& value) const;
    graphStatus GetAttr(const char* name, std::vector<std::int32_t>& value) const;
    graphStatus GetAttr(const char* name, std::vector<std::uint32_t>& value) const;
    graphStatus GetAttr(const char* name, std::vector<float>& value) const;
    graphStatus GetAttr(const char* name, std::vector<bool>& value) const;
    graphStatus GetAttr(const char* name, std::vector<AscendString>& value) const;
    graphStatus GetAttr(const char* name, std::vector<DataType>& value) const;
    graphStatus GetAttr(const char* name, std::vector<Tensor>& value) const;
    graphStatus GetAttr(const char* name, std::vector<std::vector<std::int64_t>>& value) const;
    graphStatus GetAttr(const std::string& name, std::string& value) const;
    graphStatus GetAttr(const std::string& name, std::vector<std::string>& value) const;

    Operator& SetAttr(const char* name, std::int64_t value);
    Operator& SetAttr(const char* name, std::int32_t value);
    Operator& SetAttr(const char* name, std::uint32_t value);
    Operator& SetAttr(const char* name, float value);
    Operator& SetAttr(const char* name, bool value);
    Operator& SetAttr(const char* name, const char* value);
    Operator& SetAttr(const char* name, const AscendString& value);
    Operator& SetAttr(const char* name, const DataType& value);
    Operator& SetAttr(const char* name, const Tensor& value);
    Operator& SetAttr(const char* name, const std::vector<std::uint8_t>& value);
    Operator& SetAttr(const char* name, const std::vector<std::int64_t>& value);
    Operator& SetAttr(const char* name, const std::vector<float>& value);
    Operator& SetAttr(const char* name, const std::vector<bool>& value);
    Operator& SetAttr(const char* name, const std::vector<AscendString>& value);
    Operator& SetAttr(const char* name, const std::vector<DataType>& value);
    Operator& SetAttr(const char* name, const std::vector<Tensor>& value);
    Operator& SetAttr(const char* name, const std::vector<std::vector<std::int64_t>>& value);
    Operator& SetAttr(const std::string& name, const std::string& value);
    Operator& SetAttr(const std::string& name, const std::vector<std::string>& value);

    // Names and types ("VT_INT") of the attributes that the prototype has.
    graphStatus GetAllIrAttrNamesAndTypes(std::map<AscendString, AscendString>& attributes) const;

  protected:
    // What REG_OP calls. `dtypes` is the text of the data types.
    void InputRegister(const char* name);
    void InputRegister(const char* name, const char* dtypes);
    void OptionalInputRegister(const char* name);
    void OptionalInputRegister(const char* name, const char* dtypes);
    void OutputRegister(const char* name);
    void OutputRegister(const char* name, const char* dtypes);
    void DynamicInputRegister(const char* name, unsigned int count, bool at_end = true);
    void DynamicInputRegister(const char* name, unsigned int count, const char* dtypes, bool at_end);
    void DynamicOutputRegister(const char* name, unsigned int count, bool at_end = true);
    void DynamicOutputRegister(const char* name, unsigned int count, const char* dtypes, bool at_end);
    void DataTypeRegister(const char* symbol, const TensorType& dtypes);
    void RequiredAttrRegister(const char* name);
    void RequiredAttrWithTypeRegister(const char* name, const char* type);
    void AttrRegister(const char* name, std::int64_t value);
    void AttrRegister(const char* name, float value);
    void AttrRegister(const char* name, bool value);
    void AttrRegister(const char* name, const AscendString& value);
    void AttrRegister(const char* name, const DataType& value);
    void AttrRegister(const char* name, const Tensor& value);
    void AttrRegister(const char* name, const std::vector<std::uint8_t>& value);
    void AttrRegister(const char* name, const std::vector<std::int64_t>& value);
    void AttrRegister(const char* name, const std::vector<float>& value);
    void AttrRegister(const char* name, const std::vector<bool>& value);
    void AttrRegister(const char* name, const std::vector<AscendString>& value);
    void AttrRegister(const char* name, const std::vector<DataType>& value);
    void AttrRegister(const char* name, const std::vector<Tensor>& value);
    void AttrRegister(const char* name, const std::vector<std::vector<std::int64_t>>& value);
    // Operators with graphs inside are not supported: their prototypes are refused.
    void SubgraphRegister(const char* name, bool dynamic);
    void SubgraphCountRegister(const char* name, std::uint32_t count);

  private:
    friend class OperatorImpl;
    std::shared_ptr<class OperatorImpl>
        impl_;  // with the virtual destructor, all that callers destroy inline
};

}  // namespace ge
