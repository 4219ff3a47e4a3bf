import { availableParallelism } from 'node:os';
import { inNode } from '../../../jest.config.js';

/**
 * In a real browser: not among `npm test`, because it needs one that is installed. A browser mostly waits for a rollout, so
 * there are two workers more than there are processors.
 */
export default {
  ...inNode,
  maxWorkers: availableParallelism() + 2,
  reporters: ['default', '<rootDir>/test/support/jest/stuck.js'],
  rootDir: '../../..',
  testMatch: ['<rootDir>/test/console/browser/*.browser.ts'],
};
