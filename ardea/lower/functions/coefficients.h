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

/// tanh around the multiples of a width, within 2^-25.4; around 0 less x.
inline constexpr double tanh_width = 0x1.2df88p-2, tanh_end = 9.2;
inline constexpr double tanh_pieces_32[][32] = {
    {0x0.p+0,       0x1.2582f2p-2, 0x1.0f3a5ap-1, 0x1.6ae212p-1, 0x1.a79616p-1, 0x1.cd04a4p-1, 0x1.e31792p-1,
     0x1.efc498p-1, 0x1.f6efaap-1, 0x1.faf468p-1, 0x1.fd324ep-1, 0x1.fe7198p-1, 0x1.ff22f4p-1, 0x1.ff8566p-1,
     0x1.ffbc02p-1, 0x1.ffda4cp-1, 0x1.ffeb18p-1, 0x1.fff468p-1, 0x1.fff992p-1, 0x1.fffc7p-1,  0x1.fffe06p-1,
     0x1.fffee8p-1, 0x1.ffff64p-1, 0x1.ffffaap-1, 0x1.ffffdp-1,  0x1.ffffe6p-1, 0x1.fffff2p-1, 0x1.fffff8p-1,
     0x1.fffffcp-1, 0x1.fffffep-1, 0x1.fffffep-1, 0x1.p+0},
    {0x1.17bbdcp-32, 0x1.d5ef6p-1,   0x1.7051b6p-1,  0x1.fd9bdep-2,  0x1.431eacp-2,  0x1.838c9p-3,
     0x1.c17838p-4,  0x1.ff3118p-5,  0x1.1f7976p-5,  0x1.414ea6p-6,  0x1.65dd4p-7,   0x1.8dcd6cp-8,
     0x1.b9b7bap-9,  0x1.ea2f62p-10, 0x1.0fe4f2p-10, 0x1.2d922ap-11, 0x1.4e73cap-12, 0x1.72e5d6p-13,
     0x1.9b4d46p-14, 0x1.c8191p-15,  0x1.f9c532p-16, 0x1.186c1p-16,  0x1.36f6c8p-17, 0x1.58d1b4p-18,
     0x1.7e604ap-19, 0x1.a7fae6p-20, 0x1.d61a2cp-21, 0x1.04ac1ep-21, 0x1.20f624p-22, 0x1.4054bep-23,
     0x1.63ff22p-24, 0x1.cb33ecp-24},
    {-0x1.0b2a58p-23, -0x1.0d65b6p-2,  -0x1.863aa8p-2,  -0x1.6930dap-2,  -0x1.0b52a8p-2,  -0x1.5cf466p-3,
     -0x1.a81ba4p-4,  -0x1.eeef7ep-5,  -0x1.1a54bap-5,  -0x1.3e15f8p-6,  -0x1.63b9d4p-7,  -0x1.8ce7b6p-8,
     -0x1.b85d74p-9,  -0x1.eb3e48p-10, -0x1.0f088ep-10, -0x1.2b830ap-11, -0x1.4a8296p-12, -0x1.6301a8p-13,
     -0x1.788656p-14, -0x1.db52c2p-15, -0x1.d003a8p-16, -0x1.66a4ap-16,  -0x1.de8cc6p-19, -0x1.f0483p-18,
     -0x1.495456p-21, -0x1.daaf36p-18, -0x1.1caa44p-17, -0x1.19087ap-19, -0x1.8ec48ep-18, -0x1.7d8646p-18,
     0x1.bce678p-18,  -0x1.61df74p-16},
    {-0x1.5552bep-2, -0x1.d824b2p-3, -0x1.36bbeep-5, 0x1.587d42p-4,  0x1.c5d05ap-4,  0x1.72112p-4,
     0x1.f4a822p-5,  0x1.34e5cp-5,   0x1.6b1a4ap-6,  0x1.9fcd78p-7,  0x1.d5544p-8,   0x1.06c9aep-8,
     0x1.24fc8cp-9,  0x1.45e0b4p-10, 0x1.69f466p-11, 0x1.91bb1p-12,  0x1.bdb04p-13,  0x1.ee4854p-14,
     0x1.12094ap-14, 0x1.301b3cp-15, 0x1.5103c4p-16, 0x1.766e62p-17, 0x1.9d441cp-18, 0x1.ccd13ep-19,
     0x1.fbb9e2p-20, 0x1.1fd24ep-20, 0x1.47b84p-21,  0x1.619e2cp-22, 0x1.abfc18p-23, 0x1.fe769p-24,
     0x1.10845p-25,  -0x1.56c702p-13},
    {-0x1.2de2a6p-12, 0x1.3aeb74p-3,   0x1.2d7144p-3,   0x1.dcb408p-5,   -0x1.2dfa8cp-8, -0x1.95ac82p-6,
     -0x1.7582fp-6,   -0x1.156194p-6,  -0x1.64b016p-7,  -0x1.a38f8p-8,   -0x1.066b18p-8, -0x1.945928p-10,
     -0x1.92dfb2p-10, -0x1.6ba706p-14, -0x1.391db4p-11, -0x1.19da62p-11, -0x1.d548ap-12, -0x1.8bca04p-11,
     -0x1.a10164p-11, 0x1.94a7c2p-13,  -0x1.f56182p-13, 0x1.bc21e8p-12,  -0x1.14c4p-11,  0x1.b00cfp-13,
     -0x1.b17c6cp-13, 0x1.08d4e4p-11,  0x1.6ef8f6p-11,  0x1.36190ap-13,  0x1.11b3ccp-11, 0x1.0b1cd6p-11,
     -0x1.43ebe6p-11, 0x1.e62a78p-9},
    {0x1.18d9bap-3,  0x1.b29edcp-5,   -0x1.899ddap-5,  -0x1.d8e5b2p-5,  -0x1.ac97c4p-6,  -0x1.047ffap-8,
     0x1.f69ecep-9,  0x1.30c1d2p-8,   0x1.d2759p-9,    0x1.26418p-9,    0x1.6046a6p-10,  0x1.95ad36p-11,
     0x1.cd3876p-12, 0x1.01b302p-12,  0x1.216e3p-13,   0x1.437a5ap-14,  0x1.69b4d2p-15,  0x1.9d2c82p-16,
     0x1.dc2eb8p-17, 0x1.d3e3f8p-18,  0x1.2477dp-18,   0x1.b6605p-20,   0x1.09c8a8p-19,  0x1.a72134p-22,
     0x1.682d3ep-21, -0x1.0cf542p-21, -0x1.d2a9fep-21, -0x1.347558p-23, -0x1.77798cp-21, -0x1.76989cp-21,
     0x1.d923eep-21, 0x1.98026ep-5},
    {-0x1.7ccdep-6,  -0x1.23d97cp-4, -0x1.11d716p-5, 0x1.f8a4b4p-8,  0x1.0b9594p-6,  0x1.b35c44p-7,
     -0x1.ee851ep-8, 0x1.d4a0b4p-7,  0x1.e7bc9cp-7,  0x1.ee1e72p-8,  0x1.a38436p-7,  -0x1.815c08p-7,
     0x1.6af906p-7,  -0x1.cd6dfap-7, 0x1.b08282p-8,  0x1.297682p-7,  0x1.259bcp-7,   0x1.2bacaap-6,
     0x1.487758p-6,  -0x1.6bd8b2p-8, 0x1.8a892cp-8,  -0x1.71b986p-7, 0x1.c41bb8p-7,  -0x1.65f0aep-8,
     0x1.62824ap-8,  -0x1.b3a1p-7,   -0x1.2da1d6p-6, -0x1.fe1d84p-9, -0x1.c1d3bep-7, -0x1.b6f6dap-7,
     0x1.0a1f7cp-6,  0x1.46c28ap-3}};

/// erf around the multiples of a width, within 2^-24.8; around 0 less x.
inline constexpr double erf_width = 0x1.05adp-3, erf_end = 3.97;
inline constexpr double erf_pieces_32[][32] = {
    {0x0.p+0,       0x1.25aba8p-3, 0x1.20f75cp-2, 0x1.a622cep-2, 0x1.0f74bap-1, 0x1.44781cp-1, 0x1.718466p-1,
     0x1.969206p-1, 0x1.b4123cp-1, 0x1.cace7ap-1, 0x1.dbc43cp-1, 0x1.e8035p-1,  0x1.f0928ep-1, 0x1.f65d08p-1,
     0x1.fa27dep-1, 0x1.fc8f46p-1, 0x1.fe08ep-1,  0x1.fee926p-1, 0x1.ff6a14p-1, 0x1.ffb1d2p-1, 0x1.ffd878p-1,
     0x1.ffec9ep-1, 0x1.fff6cap-1, 0x1.fffbc2p-1, 0x1.fffe1ap-1, 0x1.ffff2ep-1, 0x1.ffffa8p-1, 0x1.ffffdcp-1,
     0x1.fffff2p-1, 0x1.fffffap-1, 0x1.fffffep-1, 0x1.p+0},
    {0x1.06eba8p-3,  0x1.1c2ffep+0,  0x1.0e9ab4p+0, 0x1.f2c936p-1,  0x1.bcebf8p-1,  0x1.802014p-1,
     0x1.40fbap-1,   0x1.039a8ap-1,  0x1.966efep-2, 0x1.33ef3p-2,   0x1.c39f9ap-3,  0x1.408ab4p-3,
     0x1.b86536p-4,  0x1.24d02ap-4,  0x1.78ddf8p-5, 0x1.d577b2p-6,  0x1.1b04f8p-6,  0x1.4a454ep-7,
     0x1.750874p-8,  0x1.97cc0ap-9,  0x1.af7afp-10, 0x1.b9df5p-11,  0x1.b5fb54p-12, 0x1.a42efp-13,
     0x1.861fecp-14, 0x1.5ea0cap-15, 0x1.31002p-16, 0x1.00b47ap-17, 0x1.a296b6p-19, 0x1.4834acp-20,
     0x1.f7b298p-22, 0x1.219794p-22},
    {0x1.b23758p-23,  -0x1.227da2p-3,  -0x1.149c1ep-2,  -0x1.7e619ep-2, -0x1.c6c68ap-2,  -0x1.ead274p-2,
     -0x1.ec1fe4p-2,  -0x1.d060a6p-2,  -0x1.9f6f8p-2,   -0x1.622038p-2, -0x1.208a4ap-2,  -0x1.c28598p-3,
     -0x1.51ab4ep-3,  -0x1.e6575cp-4,  -0x1.5100c8p-4,  -0x1.c1c476p-5, -0x1.211c4ep-5,  -0x1.671362p-6,
     -0x1.ad939ap-7,  -0x1.ee04dap-8,  -0x1.13ccfcp-8,  -0x1.277c3ep-9, -0x1.3723f2p-10, -0x1.3f1a5ep-11,
     -0x1.161c58p-12, -0x1.1bcf76p-13, -0x1.0b21cap-14, -0x1.605ap-16,  -0x1.ddc2b2p-17, 0x1.c3b368p-17,
     -0x1.94548ep-20, -0x1.d275f2p-13},
    {-0x1.812a54p-2, -0x1.6e857ap-2, -0x1.39bda8p-2, -0x1.d5908ep-3, -0x1.1b4156p-3, -0x1.78da44p-5,
     0x1.2cc65p-5,   0x1.9f57f2p-4,  0x1.2739e6p-3,  0x1.51a42p-3,   0x1.54fc04p-3,  0x1.3b4798p-3,
     0x1.0fb14p-3,   0x1.b8fdc2p-4,  0x1.53329p-4,   0x1.f0b542p-5,  0x1.5a23ap-5,   0x1.d07e9ep-6,
     0x1.29c95ep-6,  0x1.6e9c1ap-7,  0x1.b1a128p-8,  0x1.ed931cp-9,  0x1.0dbbd2p-9,  0x1.1b6516p-10,
     0x1.24dedcp-11, 0x1.1ad3fp-12,  0x1.090922p-13, 0x1.fb4a1ep-15, 0x1.94ffaep-16, 0x1.4af794p-16,
     0x1.343a12p-18, -0x1.9272cep-7},
    {0x1.0c192cp-12,  0x1.1fef1ep-4,   0x1.0a8beap-3,  0x1.57a678p-3,   0x1.73009ap-3,  0x1.6cb8a4p-3,
     0x1.21741ep-3,   0x1.b04406p-4,   0x1.ea4cep-5,   0x1.8c9a3ap-6,   -0x1.276e38p-7, -0x1.18cc36p-5,
     -0x1.577af8p-5,  -0x1.a35ee8p-5,  -0x1.97e292p-5, -0x1.5cae7ap-5,  -0x1.26305ep-5, -0x1.35e732p-6,
     -0x1.a6bap-7,    -0x1.ca9688p-7,  -0x1.b22dd6p-8, -0x1.748ceap-8,  -0x1.16beap-18, 0x1.45c9d2p-9,
     -0x1.3273fcp-8,  -0x1.10e81ep-15, 0x1.dbe2ep-12,  -0x1.2d5ebcp-10, 0x1.26d094p-11, -0x1.d146bp-9,
     -0x1.11b3dcp-14, -0x1.df0e52p-3},
    {0x1.c611b8p-4,   0x1.9b2646p-4,  0x1.6e6dc2p-4,  0x1.39d872p-5,   -0x1.f5a744p-10, -0x1.40a5a6p-6,
     -0x1.106cd4p-4,  -0x1.1fb702p-4, -0x1.0e1266p-4, -0x1.dd6b7p-5,   -0x1.5ede4ep-5,  -0x1.af7892p-6,
     -0x1.3e6678p-7,  0x1.48b79p-13,  0x1.a08cd6p-8,  0x1.25aa9ep-7,   0x1.270e56p-5,   0x1.4f31ep-7,
     0x1.39392p-7,    0x1.d5a5e8p-8,  0x1.5b825ep-8,  0x1.a0ed94p-9,   0x1.7a216cp-9,   0x1.4fd25p-9,
     -0x1.57206cp-11, 0x1.24cc92p-11, 0x1.06b6bp-11,  -0x1.9ad1e6p-12, 0x1.7a386ep-12,  -0x1.f0f908p-10,
     -0x1.74c45p-16,  -0x1.7d810cp+0}};

}  // namespace ardea::lower::functions
