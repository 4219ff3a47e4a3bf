/** Keeps what the functions log and count out of the tests' own output. */
export function silenceLogs(): void {
  process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
  process.env.POWERTOOLS_METRICS_DISABLED = 'true';
}
