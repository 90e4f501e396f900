#include "connection.h"

int main() { return run(); }
