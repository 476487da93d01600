import faulty_ops

print(faulty_ops.scale(2))
