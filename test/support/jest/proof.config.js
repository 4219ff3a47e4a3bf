import { availableParallelism } from 'node:os';
import { inNode } from '../../../jest.config.js';

/** What searches, counts or measures. It uses the processors, so there is a worker for each. */
export default {
  ...inNode,
  maxWorkers: availableParallelism(),
  globalSetup: '<rootDir>/test/support/jest/own-folder.js',
  globalTeardown: '<rootDir>/test/support/jest/remove-own-folder.js',
  reporters: ['default', '<rootDir>/test/support/jest/stuck.js'],
  rootDir: '../../..',
  testMatch: ['<rootDir>/test/**/*.proof.ts'],
};
