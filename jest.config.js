/** @type {import('jest').Config} */
export default {
  extensionsToTreatAsEsm: ['.ts'],
  // All cores, with workers that begin anew now and then: what modules leave in memory slows a single one down.
  maxWorkers: '100%',
  workerIdleMemoryLimit: '1GB',
  // Some tests run real processes, and a busy machine is no failure.
  testTimeout: 30_000,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2024' },
        module: { type: 'es6' },
      },
    ],
  },
};
