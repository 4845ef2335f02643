//! Makes 3D characters live.
