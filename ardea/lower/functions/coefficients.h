#pragma once

/// The polynomials of the vector functions, lowest power first. Written by tools/fit_functions, which says
/// how they were found; the error beside each is that of the function it serves, before any rounding of the
/// evaluation.

namespace ardea::lower::functions {

/// (exp(x) - 1 - x) / x^2, within 2^-26.1.
inline constexpr double exp_32[] = {0x1.p-1, 0x1.5554bp-3, 0x1.5554ep-5, 0x1.122798p-7, 0x1.6d566p-10};

/// (log(1 + x) - x) / x^2, within 2^-27.7.
inline constexpr double log_32[] = {-0x1.fffff8p-2, 0x1.555548p-2,  -0x1.00042ap-2,
                                    0x1.99a814p-3,  -0x1.542ad2p-3, 0x1.222542p-3,
                                    -0x1.0ecbccp-3, 0x1.09f89ep-3,  -0x1.3e53b2p-4};

/// 2 atanh(s) / (s log 2), x = s^2, within 2^-36.3.
inline constexpr double power_log2_32[] = {0x1.71547652beef7p+1, 0x1.ec709d1199aafp-1, 0x1.277780cc0fba7p-1,
                                           0x1.a58d1eda0de8cp-2, 0x1.5ceff9b43bff4p-2};

/// 2^x, within 2^-29.0.
inline constexpr double power_exp2_32[] = {0x1.0000000260177p+0, 0x1.62e430c7e026bp-1, 0x1.ebfbdae79f962p-3,
                                           0x1.c6aed4c3a733ep-5, 0x1.3b2db244a0b04p-7, 0x1.5f45625772667p-10,
                                           0x1.41da1ce590104p-13};

/// (sin(r) - r) / r^3, x = r^2, within 2^-32.3.
inline constexpr double sin_32[] = {-0x1.555556p-3, 0x1.111166p-7, -0x1.a04a7ep-13, 0x1.7868d2p-19};

/// (cos(r) - 1 + r^2 / 2) / r^4, x = r^2, within 2^-33.1.
inline constexpr double cos_32[] = {0x1.55554ap-5, -0x1.6c0c2cp-10, 0x1.99e9ecp-16};

/// (tanh(r) / r - 1) / r^2, x = r^2, within 2^-26.1.
inline constexpr double tanh_32[] = {-0x1.5554fap-2, 0x1.10fba8p-3, -0x1.b6d26ep-5, 0x1.4981d4p-6,
                                     -0x1.51d054p-8};

/// erf(r) / r - 1, x = r^2, within 2^-25.0.
inline constexpr double erf_32[] = {0x1.06eba4p-3,  -0x1.8126bap-2, 0x1.ce13cp-4,
                                    -0x1.b62d1ep-6, 0x1.451d7p-8,   -0x1.319e22p-11};

/// log2(erfc(x)) / x from 0.96 to 4.0, within 2^-28.5.
inline constexpr double erfc_32[] = {-0x1.a0c9e8p+0, -0x1.d59daap-1, -0x1.36d264p-3,
                                     0x1.0e0bf2p-5,  -0x1.2ec872p-8, 0x1.416d7ap-12};

/// (2^x - 1) / x, within 2^-23.3.
inline constexpr double erfc_exp2_32[] = {0x1.62e432p-1, 0x1.ebf9b2p-3, 0x1.c6adaap-5, 0x1.3ced78p-7,
                                          0x1.5fba7p-10};

/// (atan(t) - t) / t^3, x = t^2, within 2^-30.5.
inline constexpr double atan_32[] = {-0x1.55554ap-2, 0x1.9991e8p-3, -0x1.23ba38p-3, 0x1.b22d84p-4,
                                     -0x1.f31356p-5};

/// (asin(t) - t) / t^3, x = t^2, within 2^-31.7.
inline constexpr double asin_32[] = {0x1.55554cp-3, 0x1.3338a2p-4, 0x1.6ca9ccp-5,
                                     0x1.04b86ap-5, 0x1.d6f75ap-7, 0x1.340e62p-5};

/// (exp(x) - 1 - x) / x^2, within 2^-55.6.
inline constexpr double exp_64[] = {0x1.0000000000005p-1,  0x1.555555555555cp-3,  0x1.555555555211ap-5,
                                    0x1.111111110e80cp-7,  0x1.6c16c17f2a989p-10, 0x1.a01a01b567a5dp-13,
                                    0x1.a019a6af99f8bp-16, 0x1.71ddeb173ab1dp-19, 0x1.28a2814233272p-22,
                                    0x1.af74d413a9eeap-26};

/// (2 atanh(s) - 2 s) / s^3, x = s^2, within 2^-58.5.
inline constexpr double log_quotient_64[] = {0x1.5555555555593p-1, 0x1.999999997fa23p-2, 0x1.2492494224afep-2,
                                             0x1.c71c51de7901cp-3, 0x1.746647f5c3834p-3, 0x1.39a0ca20eeba3p-3,
                                             0x1.2f0f238f3362fp-3};

/// (2 atanh(s) - 2 s - 2 s^3 / 3) / s^5, x = s^2, within 2^-75.5.
inline constexpr double log_tail_64[] = {0x1.999999999999ap-2, 0x1.2492492492386p-2, 0x1.c71c71c73fbbfp-3,
                                         0x1.745d1731e5fc3p-3, 0x1.3b13b7f475095p-3, 0x1.110fa61952ff9p-3,
                                         0x1.e241cdbe4597cp-4, 0x1.a783b38e064a9p-4, 0x1.da49537d3f22bp-4};

/// (sin(r) - r) / r^3, x = r^2, within 2^-62.9.
inline constexpr double sin_64[] = {-0x1.5555555555555p-3, 0x1.1111111111089p-7,   -0x1.a01a01a0065a6p-13,
                                    0x1.71de3a3f63c96p-19, -0x1.ae643c5031eebp-26, 0x1.61140b3c18c57p-33,
                                    -0x1.a5117e3b0e902p-41};

/// (cos(r) - 1 + r^2 / 2) / r^4, x = r^2, within 2^-68.7.
inline constexpr double cos_64[] = {0x1.5555555555555p-5,  -0x1.6c16c16c16b44p-10, 0x1.a01a01a000f1dp-16,
                                    -0x1.27e4fb5f89b6p-22, 0x1.1eed76223181ap-29,  -0x1.937c29a8a6fep-37,
                                    0x1.a146c000d5675p-45};

/// (tanh(r) / r - 1) / r^2, x = r^2, within 2^-57.4.
inline constexpr double tanh_64[] = {-0x1.555555555552bp-2,  0x1.111111110e26fp-3,   -0x1.ba1ba1b7de649p-5,
                                     0x1.664f481430ab6p-6,   -0x1.226e28d7f3b2dp-7,  0x1.d6d200b3537a9p-9,
                                     -0x1.7d8cdd88dac07p-10, 0x1.34978d9ca04b3p-11,  -0x1.ec8d5efade808p-13,
                                     0x1.71c8d9fe104c4p-14,  -0x1.c69d5eb039b47p-16, 0x1.42cf2271277afp-18};

/// erf(r) / r - 1, x = r^2, within 2^-56.2.
inline constexpr double erf_64[] = {0x1.06eba8214db69p-3,   -0x1.812746b037a02p-2,  0x1.ce2f21a043b32p-4,
                                    -0x1.b82ce312c8c5dp-6,  0x1.565bcd17d9c7cp-8,   -0x1.c02db5bbf7369p-11,
                                    0x1.f9a35ce4e3407p-14,  -0x1.f4d6d79f5c8efp-17, 0x1.ba2908d1e3a2cp-20,
                                    -0x1.621b8fc43dcdap-23, 0x1.10e569d4df969p-26,  -0x1.f91a13990e0ebp-30,
                                    0x1.432ff6eaa4eacp-32,  -0x1.32880da3aba8p-35};

/// log(erfc(x + 2.0)) from 1.0 to 5.95, within 2^-59.2.
inline constexpr double erfc_64[] = {-0x1.575b329b1f516p+2,  -0x1.1ac3258a8dc2dp+2,  -0x1.d8f5dece9232fp-1,
                                     -0x1.0dc3b5fb0d65cp-6,  0x1.d406b373705a9p-9,   -0x1.7ffcfb4ae862cp-11,
                                     0x1.1bc3a60e49b17p-13,  -0x1.5b656d807a5cp-16,  0x1.060457fb18832p-19,
                                     0x1.b547c81bb8f2ep-23,  -0x1.73e69b77d8a2dp-23, 0x1.f0b766871a86dp-25,
                                     -0x1.e03a105c59d2fp-27, 0x1.59e10808ef536p-29,  -0x1.1a061429361b6p-32,
                                     -0x1.31807da84e2b9p-35, 0x1.0580a10931e91p-35,  -0x1.75fddef6bac01p-37,
                                     0x1.5f77a234c363p-39,   -0x1.89a934b5112eap-42, 0x1.827d14530a326p-46};

/// (atan(t) - t) / t^3, x = t^2, within 2^-59.5.
inline constexpr double atan_64[] = {-0x1.555555555553dp-2, 0x1.9999999995886p-3,  -0x1.24924922ae15cp-3,
                                     0x1.c71c70e64600ap-4,  -0x1.745cf8e029d03p-4, 0x1.3b111934dbc1ap-4,
                                     -0x1.10ebb7a4dc387p-4, 0x1.df0f2b4311a7cp-5,  -0x1.9cd1cffbdca4ap-5,
                                     0x1.37d272a4c14ddp-5,  -0x1.2561a58c9918fp-6};

/// (asin(t) - t) / t^3, x = t^2, within 2^-59.8.
inline constexpr double asin_64[] = {0x1.5555555555578p-3, 0x1.333333332df04p-4, 0x1.6db6db722cb78p-5,
                                     0x1.f1c71a8b0a2bfp-6, 0x1.6e8bdff725dc9p-6, 0x1.1c49dcdf73eb4p-6,
                                     0x1.ca215e3090014p-7, 0x1.7576c52d6656ap-7, 0x1.618ed8d0c7a1fp-7,
                                     0x1.e120ba90126f1p-9, 0x1.6512c768e5f55p-6, -0x1.5a0cef7af0369p-6,
                                     0x1.0beb0a55f79c6p-5};

}  // namespace ardea::lower::functions
