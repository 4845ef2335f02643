//! Reads and writes the files of 3D characters.
