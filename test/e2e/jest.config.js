import shared from '../../jest.config.js';

/** Against an emulator of AWS: not among `npm test`, because it needs one that is installed. */
export default {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/e2e/*.e2e.ts'],
  testPathIgnorePatterns: [],
  testTimeout: 180_000,
};
