import { inNode } from '../../jest.config.js';

/** Against an emulator of AWS: not among `npm test`, because it needs one that is installed. */
export default {
  ...inNode,
  // One file has nearly all of the tests.
  reporters: ['default', ['<rootDir>/test/support/jest/stuck.js', { minutes: 30 }]],
  rootDir: '../..',
  testMatch: ['<rootDir>/test/e2e/*.e2e.ts'],
};
