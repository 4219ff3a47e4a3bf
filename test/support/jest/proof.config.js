import { availableParallelism } from 'node:os';
import { inNode } from '../../../jest.config.js';

/**
 * What searches, counts or measures, and what lasts: pages that are followed to their ends, and programs that are killed,
 * kept waiting and taken up again. The former uses the processors and the latter waits, so there are two workers more than
 * there are processors.
 */
export default {
  ...inNode,
  maxWorkers: availableParallelism() + 2,
  globalSetup: '<rootDir>/test/support/jest/own-folder.js',
  globalTeardown: '<rootDir>/test/support/jest/remove-own-folder.js',
  reporters: ['default', '<rootDir>/test/support/jest/stuck.js'],
  rootDir: '../../..',
  testMatch: ['<rootDir>/test/**/*.proof.ts'],
};
