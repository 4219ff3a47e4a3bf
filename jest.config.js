import { availableParallelism } from 'node:os';

/**
 * Functions read their environment when they are loaded, and some tests replace what is loaded: these files need
 * jest's sandbox, which loads every module anew for each file.
 */
const LOADED_ANEW = [
  'adapters/lambda/',
  'adapters/gates/open-gates',
  'functions/',
  'secrets/functions',
];

/** All others run in plain Node.js, where the files of one process share the modules that they load. */
export const inNode = {
  displayName: 'node',
  runner: ['jest-light-runner', { runtime: 'worker_threads' }],
  setupFiles: ['<rootDir>/test/support/jest/setup.js'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
};

const inSandbox = {
  displayName: 'sandbox',
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: LOADED_ANEW.map((path) => `<rootDir>/test/${path}*.test.ts`),
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

/** @type {import('jest').Config} */
export default {
  // With one worker jest would run all files in its own process, whose environment the functions' tests read.
  // Two more than there are processors, because many files wait for programs that they have started.
  maxWorkers: availableParallelism() + 2,
  // A busy machine is no failure.
  testTimeout: 600_000,
  globalSetup: '<rootDir>/test/support/jest/own-folder.js',
  globalTeardown: '<rootDir>/test/support/jest/remove-own-folder.js',
  reporters: ['default', '<rootDir>/test/support/jest/stuck.js'],
  projects: [
    {
      ...inNode,
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: LOADED_ANEW.map((path) => `/test/${path}`),
    },
    inSandbox,
  ],
};
