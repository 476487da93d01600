// Sets of data types, as prototypes name them.
#pragma once

#include <initializer_list>
#include <memory>

#include "graph/ge_error_codes.h"
#include "graph/types.h"

namespace ge {

class OPWELD_GE_API TensorType {
  public:
    explicit TensorType(DataType dtype);
    TensorType(const std::initializer_list<DataType>& dtypes);

    static TensorType ALL() {
        return TensorType{DT_BOOL,   DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE,   DT_FLOAT,    DT_FLOAT16,
                          DT_INT16,  DT_INT32,      DT_INT64,     DT_INT8,     DT_QINT16,   DT_QINT32,
                          DT_QINT8,  DT_QUINT16,    DT_QUINT8,    DT_RESOURCE, DT_STRING,   DT_UINT16,
                          DT_UINT32, DT_UINT64,     DT_UINT8,     DT_BF16,     DT_COMPLEX32};
    }
    static TensorType BasicType() {
        return TensorType{DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE,  DT_FLOAT,  DT_FLOAT16,
                          DT_INT16,      DT_INT32,     DT_INT64,   DT_INT8,   DT_QINT16,
                          DT_QINT32,     DT_QINT8,     DT_QUINT16, DT_QUINT8, DT_UINT16,
                          DT_UINT32,     DT_UINT64,    DT_UINT8,   DT_BF16,   DT_COMPLEX32};
    }
    static TensorType NumberType() {
        return TensorType{DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE, DT_FLOAT,  DT_FLOAT16, DT_INT16,
                          DT_INT32,      DT_INT64,     DT_INT8,   DT_QINT32, DT_QINT8,   DT_QUINT8,
                          DT_UINT16,     DT_UINT32,    DT_UINT64, DT_UINT8,  DT_BF16,    DT_COMPLEX32};
    }
    static TensorType OrdinaryType() {
        return TensorType{DT_BOOL,   DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE,   DT_FLOAT,  DT_FLOAT16,
                          DT_INT16,  DT_INT32,      DT_INT64,     DT_INT8,     DT_UINT16, DT_UINT32,
                          DT_UINT64, DT_UINT8,      DT_BF16,      DT_COMPLEX32};
    }
    static TensorType RealNumberType() {
        return TensorType{DT_DOUBLE, DT_FLOAT,  DT_FLOAT16, DT_INT16,  DT_INT32, DT_INT64,
                          DT_INT8,   DT_UINT16, DT_UINT32,  DT_UINT64, DT_UINT8, DT_BF16};
    }
    static TensorType QuantifiedType() {
        return TensorType{DT_QINT16, DT_QINT32, DT_QINT8, DT_QUINT16, DT_QUINT8};
    }
    static TensorType ComplexDataType() { return TensorType{DT_COMPLEX128, DT_COMPLEX64, DT_COMPLEX32}; }
    static TensorType IntegerDataType() {
        return TensorType{DT_INT16, DT_INT32, DT_INT64, DT_INT8, DT_UINT16, DT_UINT32, DT_UINT64, DT_UINT8};
    }
    static TensorType SignedDataType() { return TensorType{DT_INT16, DT_INT32, DT_INT64, DT_INT8}; }
    static TensorType UnsignedDataType() { return TensorType{DT_UINT16, DT_UINT32, DT_UINT64, DT_UINT8}; }
    static TensorType FloatingDataType() { return TensorType{DT_DOUBLE, DT_FLOAT, DT_FLOAT16}; }
    static TensorType IndexNumberType() { return TensorType{DT_INT32, DT_INT64}; }
    static TensorType UnaryDataType() {
        return TensorType{DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE,   DT_FLOAT,
                          DT_FLOAT16,    DT_BF16,      DT_COMPLEX32};
    }
    static TensorType FLOAT() { return TensorType{DT_FLOAT, DT_FLOAT16, DT_BF16}; }

  private:
    friend class TensorTypeImpl;
    std::shared_ptr<class TensorTypeImpl> impl_;
};

}  // namespace ge
