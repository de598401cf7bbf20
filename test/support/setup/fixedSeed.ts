import * as fc from 'fast-check';

// A run of the tests can be repeated: what is random in it comes from a fixed seed.
fc.configureGlobal({ seed: 1 });
