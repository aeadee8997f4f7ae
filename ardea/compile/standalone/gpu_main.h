// ---- A program that calls it once on numbers of its own, compares, and times. ----

/// On a multiple of what any program promises of its arrays.
static void* zeros(size_t bytes) {
  const size_t rounded = (bytes + 4095) / 4096 * 4096;
  return std::memset(std::aligned_alloc(4096, rounded), 0, rounded);
}

int main() {
  const size_t count = sizeof(arguments) / sizeof(arguments[0]);
  std::vector<std::vector<unsigned char>> host(count);
  std::vector<void*> reference(reference_count);
  std::vector<void*> device(count);
  unsigned long long state = 1;
  for (size_t i = 0; i < count; ++i) {
    const Argument& a = arguments[i];
    host[i].assign((size_t)(a.count * (a.bits / 8)), 0xa5);
    const bool is_float = a.kind == 'f';
    reference[a.value] = zeros((size_t)a.count * 8);
    if (a.bound >= 0) reference[a.bound] = zeros((size_t)a.count * 8);
    for (long long e = 0; e < a.count && a.is_read; ++e) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      const unsigned long long bits = encoded((int)(state >> 62) + 1, a);
      const double value = decoded(bits, a);
      std::memcpy(host[i].data() + e * (a.bits / 8), &bits, (size_t)(a.bits / 8));
      if (is_float)
        std::memcpy((unsigned char*)reference[a.value] + 8 * e, &value, 8);
      else
        std::memcpy((unsigned char*)reference[a.value] + e * (a.bits / 8), &bits, (size_t)(a.bits / 8));
    }
    require_success(cudaMalloc(&device[i], host[i].size()), "memory of the GPU");
    require_success(cudaMemcpy(device[i], host[i].data(), host[i].size(), cudaMemcpyHostToDevice), a.name);
  }
  launch(device.data(), 0);
  require_success(cudaDeviceSynchronize(), "the kernels");
  for (size_t i = 0; i < count; ++i)
    require_success(cudaMemcpy(host[i].data(), device[i], host[i].size(), cudaMemcpyDeviceToHost),
                    "the answers");

  if (!run_reference(reference.data())) return 2;
  long long wrong = 0;
  for (size_t i = 0; i < count; ++i)
    if (arguments[i].is_written)
      wrong += wrong_elements(arguments[i], host[i].data(), (unsigned char*)reference[arguments[i].value],
                              arguments[i].bound < 0 ? nullptr : (double*)reference[arguments[i].bound]);

  const int calls = 20;
  cudaEvent_t begin, end;
  float ms = 0;
  require_success(cudaEventCreate(&begin), "an event");
  require_success(cudaEventCreate(&end), "an event");
  require_success(cudaEventRecord(begin, 0), "an event");
  for (int i = 0; i < calls; ++i) launch(device.data(), 0);
  require_success(cudaEventRecord(end, 0), "an event");
  require_success(cudaEventSynchronize(end), "the kernels");
  require_success(cudaEventElapsedTime(&ms, begin, end), "an event");
  std::printf("%.3f us a call, of %d in a row with warm caches\n", 1e3 * ms / calls, calls);
  return wrong == 0 ? 0 : 1;
}
