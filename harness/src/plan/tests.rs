//! Plans of small scenarios on real files.
