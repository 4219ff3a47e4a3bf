import { inNode } from '../../../jest.config.js';

/** In a real browser: not among `npm test`, because it needs one that is installed. */
export default {
  ...inNode,
  reporters: ['default', '<rootDir>/test/support/jest/stuck.js'],
  rootDir: '../../..',
  testMatch: ['<rootDir>/test/console/browser/*.browser.ts'],
};
