/* The words of the generated traces: names and arguments as PyTorch's profiler writes them. Read by
 * gen.c only. */
#ifndef LF_BENCH_NAMES_H
#define LF_BENCH_NAMES_H

#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The first ones are the frames that stay open throughout. */
static const char *const frame_names[] = {
    "threading.py(1030): _bootstrap",
    "threading.py(1073): _bootstrap_inner",
    "threading.py(1010): run",
    "train.py(418): <module>",
    "train.py(231): main",
    "torch/utils/_contextlib.py(116): decorate_context",
    "accelerate/utils/operations.py(820): forward",
    "torch/nn/modules/module.py(1773): _wrapped_call_impl",
    "torch/nn/modules/module.py(1784): _call_impl",
    "nn.Module: Transformer_0",
    "transformers/models/llama/modeling_llama.py(551): forward",
    "transformers/utils/generic.py(943): wrapper",
    "transformers/models/llama/modeling_llama.py(236): apply_rotary_pos_emb",
    "nn.Module: LlamaDecoderLayer_17",
    "nn.Module: LlamaAttention_17",
    "nn.Module: Linear_103",
    "torch/nn/modules/linear.py(125): forward",
    "torch/nn/functional.py(2546): linear",
    "<built-in function linear>",
    "<built-in method to of Tensor object at 0x7860c754e5b0>",
    "<built-in method cat of type object at 0x7860d1b0f8a0>",
    "<built-in function len>",
    "<built-in function isinstance>",
    "<built-in function scaled_dot_product_attention>",
    "<built-in method get of dict object at 0x78609f3b2c40>",
    "<built-in method append of list object at 0x7860a4c1e9c0>",
    "torch/_dynamo/eval_frame.py(745): _fn",
    "torch/_inductor/codecache.py(1137): __call__",
    "torch/_inductor/output_code.py(584): __call__",
    "torch/_functorch/_aot_autograd/runtime_wrappers.py(338): runtime_wrapper",
    "torch/cuda/streams.py(45): synchronize",
    "torch/autograd/profiler.py(768): __enter__",
    "torch/_ops.py(1243): __call__",
    "enum.py(193): __get__",
    "typing.py(1221): __instancecheck__",
    "contextlib.py(141): __exit__",
    "<string>(2): __init__",
    "torch/distributed/fsdp/_runtime_utils.py(388): _pre_forward",
    "triton/runtime/jit.py(347): <lambda>",
    "logging/__init__.py(674): formatMessage",
};

static const char *const op_names[] = {
    "aten::empty",
    "aten::to",
    "aten::_to_copy",
    "aten::copy_",
    "aten::view",
    "aten::reshape",
    "aten::linear",
    "aten::addmm",
    "aten::mm",
    "aten::matmul",
    "aten::transpose",
    "aten::as_strided",
    "aten::expand",
    "aten::slice",
    "aten::select",
    "aten::add",
    "aten::mul",
    "aten::softmax",
    "aten::_softmax",
    "aten::native_layer_norm",
    "aten::scaled_dot_product_attention",
    "aten::_flash_attention_forward",
    "aten::cat",
    "aten::index_select",
};

static const char *const op_args[] = {
    "\"Concrete Inputs\": [\"[1, 77]\", \"4\", \"0\", \"\", \"False\", \"\"], \"Input type\": "
    "[\"ScalarList\", \"Scalar\", \"Scalar\", \"\", \"Scalar\", \"\"], \"Input Strides\": "
    "[[], [], [], [], [], []], \"Input Dims\": [[], [], [], [], [], []]",
    "\"Concrete Inputs\": [\"\"], \"Input type\": [\"long int\"], \"Input Strides\": [[77,"
    " 1]], \"Input Dims\": [[1, 77]]",
    "\"Concrete Inputs\": [\"\", \"\", \"False\"], \"Input type\": [\"c10::BFloat16\", "
    "\"c10::BFloat16\","
    " \"Scalar\"], \"Input Strides\": [[77, 1], [77, 1], []], \"Input Dims\": [[1, 77], [1,"
    " 77], []]",
    "\"Concrete Inputs\": [\"\", \"[77, 768]\", \"[768, 1]\", \"\"], \"Input type\": "
    "[\"c10::BFloat16\","
    " \"ScalarList\", \"ScalarList\", \"\"], \"Input Strides\": [[768, 1], [], [], []], \"Input "
    "Dims\": [[77, 768], [], [], []]",
    "\"Concrete Inputs\": [\"\", \"\", \"1\", \"1\", \"\"], \"Input type\": [\"c10::BFloat16\","
    " \"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\", \"Scalar\"], \"Input Strides\": [[1],"
    " [4096, 1], [1, 4096], [], []], \"Input Dims\": [[4096], [512, 4096], [4096, 4096], "
    "[], []]",
    "\"Collective name\": \"allreduce\", \"dtype\": \"BFloat16\", \"In msg nelems\": 4194304,"
    " \"Group size\": 8, \"Process Group Name\": \"0\", \"Input Dims\": [[4194304]]",
};

static const char *const kernel_names[] = {
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>,"
    " std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*,"
    " 3ul>)",
    "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long, "
    "long, long, long, bool)",
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_execute_segment_"
    "k_off_kernel__5x_cublas",
    "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<128, 128,"
    " 64, 4, false, false, cutlass::bfloat16_t> >(pytorch_flash::Flash_fwd_params)",
    "triton_poi_fused__to_copy_add_mul_native_layer_norm_3",
    "triton_red_fused_add_mean_pow_rsqrt_12",
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, "
    "float, false>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 "
    "const*, float*, float*, c10::BFloat16*)",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "void at::native::elementwise_kernel<128, 4, "
    "at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&"
    ")::{lambda()#3}::operator()() "
    "const::{lambda()#7}::operator()() "
    "const::{lambda(float)#1}>(at::TensorIteratorBase&)::{lambda(int)#1}>",
    "void "
    "cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8>("
    "cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8::Params)",
};

#define N_FRAME_NAMES  COUNT(frame_names)
#define N_OP_NAMES     COUNT(op_names)
#define N_OP_ARGS      COUNT(op_args)
#define N_KERNEL_NAMES COUNT(kernel_names)

/* Of a kernel: external id, stream, correlation, grid, blocks per SM. */
#define KERNEL_ARGS                                                                                \
    "\"External id\": %ld,\"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": "       \
    "%d, \"correlation\": %ld,\n      \"registers per thread\": 128,\n      \"shared memory\": "   \
    "49152,\n      \"priority\": 0,\n      \"grid\": [%u, 1, 1],\n      \"block\": [128, "         \
    "1, 1],\n      \"blocks per SM\": %f, \"warps per SM\": 4.25,\n      \"est. achieved "         \
    "occupancy %%\": 7"

static const char trace_head[] =
    "\n  {\n    \"schemaVersion\": 1,\n    \"deviceProperties\": [\n    {\n      \"id\": "
    "0, \"name\": \"NVIDIA H100 80GB HBM3\", \"totalGlobalMem\": 85029158912,\n      "
    "\"computeMajor\": "
    "9, \"computeMinor\": 0,\n      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": "
    "2048,\n      \"regsPerBlock\": 65536, \"warpSize\": 32,\n      \"sharedMemPerBlock\": "
    "49152, \"numSms\": 132\n    , \"regsPerMultiprocessor\": 65536, \"sharedMemPerBlockOptin\": "
    "232448, \"sharedMemPerMultiprocessor\": 233472\n    }\n    ],\n      \"record_shapes\": "
    "1,\n      \"with_stack\": 1,\n      \"trace_id\": \"5B1C7E0A9D3F4A1E8C2D6F7081B3A4C5\","
    "\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1782967788000000000,\n "
    " \"traceEvents\": [";

static const char trace_tail[] = "\n  ],\n  \"traceName\": \"trace.json\"\n}\n";

/* Their ts. */
static const char *const metadata[] = {
    "{\n    \"name\": \"process_name\", \"ph\": \"M\", \"ts\": %s, \"pid\": 425, \"tid\": "
    "0,\n    \"args\": {\n      \"name\": \"python3\"\n    }\n  }",
    "{\n    \"name\": \"process_labels\", \"ph\": \"M\", \"ts\": %s, \"pid\": 425, \"tid\": "
    "0,\n    \"args\": {\n      \"labels\": \"CPU\"\n    }\n  }",
    "{\n    \"name\": \"process_sort_index\", \"ph\": \"M\", \"ts\": %s, \"pid\": 425, \"tid\": "
    "0,\n    \"args\": {\n      \"sort_index\": 425\n    }\n  }",
    "{\n    \"name\": \"process_name\", \"ph\": \"M\", \"ts\": %s, \"pid\": 0, \"tid\": 0,"
    "\n    \"args\": {\n      \"name\": \"python3\"\n    }\n  }",
    "{\n    \"name\": \"process_labels\", \"ph\": \"M\", \"ts\": %s, \"pid\": 0, \"tid\": "
    "0,\n    \"args\": {\n      \"labels\": \"GPU 0\"\n    }\n  }",
    "{\n    \"name\": \"process_sort_index\", \"ph\": \"M\", \"ts\": %s, \"pid\": 0, \"tid\": "
    "0,\n    \"args\": {\n      \"sort_index\": 5000000\n    }\n  }",
    "{\n    \"name\": \"thread_name\", \"ph\": \"M\", \"ts\": %s, \"pid\": 425, \"tid\": "
    "425,\n    \"args\": {\n      \"name\": \"thread 425 (python3)\"\n    }\n  }",
    "{\n    \"name\": \"thread_sort_index\", \"ph\": \"M\", \"ts\": %s, \"pid\": 425, \"tid\": "
    "425,\n    \"args\": {\n      \"sort_index\": 425\n    }\n  }",
    "{\n    \"name\": \"thread_name\", \"ph\": \"M\", \"ts\": %s, \"pid\": 0, \"tid\": 7,"
    "\n    \"args\": {\n      \"name\": \"stream 7 \"\n    }\n  }",
    "{\n    \"name\": \"thread_sort_index\", \"ph\": \"M\", \"ts\": %s, \"pid\": 0, \"tid\": "
    "7,\n    \"args\": {\n      \"sort_index\": 7\n    }\n  }",
    "{\n    \"name\": \"thread_name\", \"ph\": \"M\", \"ts\": %s, \"pid\": 0, \"tid\": 13,"
    "\n    \"args\": {\n      \"name\": \"stream 13 \"\n    }\n  }",
    "{\n    \"name\": \"thread_sort_index\", \"ph\": \"M\", \"ts\": %s, \"pid\": 0, \"tid\": "
    "13,\n    \"args\": {\n      \"sort_index\": 13\n    }\n  }",
    "{\n    \"name\": \"thread_name\", \"ph\": \"M\", \"ts\": %s, \"pid\": 0, \"tid\": 17,"
    "\n    \"args\": {\n      \"name\": \"stream 17 \"\n    }\n  }",
    "{\n    \"name\": \"thread_sort_index\", \"ph\": \"M\", \"ts\": %s, \"pid\": 0, \"tid\": "
    "17,\n    \"args\": {\n      \"sort_index\": 17\n    }\n  }",
    "{\n    \"name\": \"thread_name\", \"ph\": \"M\", \"ts\": %s, \"pid\": 0, \"tid\": 21,"
    "\n    \"args\": {\n      \"name\": \"stream 21 \"\n    }\n  }",
    "{\n    \"name\": \"thread_sort_index\", \"ph\": \"M\", \"ts\": %s, \"pid\": 0, \"tid\": "
    "21,\n    \"args\": {\n      \"sort_index\": 21\n    }\n  }",
    "{\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"\","
    " \"tid\": \"\", \"ts\": %s\n  }",
};

#define N_METADATA COUNT(metadata)

#endif
