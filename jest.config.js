/** @type {import('jest').Config} */
export default {
  extensionsToTreatAsEsm: ['.ts'],
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
