// SystemC's library refers to sc_main; the tests have GoogleTest's main instead.
extern "C" int sc_main(int, char*[]) { return 0; }
