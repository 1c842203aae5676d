#pragma once

namespace treadle::detail {

/// Makes known /papi/EVENT: what the processor counts while workers run, by the PAPI library where there is one.
/// It is loaded when the first of these counters is asked for.
void publish_papi_counters();

} // namespace treadle::detail
