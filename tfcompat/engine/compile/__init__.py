"""How programs are compiled: quickly or fully, loops rolled up or unrolled, kept on disk and in memory."""
